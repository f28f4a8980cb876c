#include "bench/grid.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "cli/option_names.hpp"

namespace keysieve::bench {
namespace {

// The shapes at which others have published times on the H200.
GridBlock baseline_block() {
  GridBlock block;
  block.rows = {1, 4, 16, 64, 128, 132, 160, 256, 1024, 4096};
  block.widths = {8192, 16384, 32768, 65536, 131072, 262144};
  block.k = {512, 1024, 2048};
  return block;
}

// Widths and rows between the round ones, where a plan that fits only the round ones shows.
GridBlock full_block() {
  GridBlock block = baseline_block();
  block.rows.insert(block.rows.end(), {2, 8, 32, 65, 96, 512});
  block.widths.insert(block.widths.end(), {20480, 40960, 81920, 84992, 88064, 98303, 98304, 98305});
  block.thresholds = true;
  return block;
}

GridBlock smoke_block() {
  GridBlock block;
  block.rows = {1, 64, 256};
  block.widths = {16384, 65536};
  block.k = {1024};
  return block;
}

// What a CPU answers within a minute.
GridBlock cpu_block() {
  GridBlock block;
  block.rows = {1, 64};
  block.widths = {8192, 131072};
  block.k = {512, 2048};
  block.distributions = {Distribution::kNormal, Distribution::kRelu, Distribution::kNarrow};
  return block;
}

struct NamedGrid {
  std::string_view name;
  GridBlock (*make)();
};
constexpr NamedGrid kNamedGrids[] = {
    {"full", full_block}, {"baseline", baseline_block}, {"smoke", smoke_block}, {"cpu", cpu_block}};

// Adds to every cell each value of an axis in turn.
template <typename Value>
void multiply(std::vector<Cell>& cells, Value Cell::*member, const std::vector<Value>& values) {
  std::vector<Cell> product;
  product.reserve(cells.size() * values.size());
  for (const Cell& cell : cells) {
    for (const Value value : values) {
      product.push_back(cell);
      product.back().*member = value;
    }
  }
  cells = std::move(product);
}

std::vector<Cell> variants(const GridBlock& block, const Cell& shape) {
  std::vector<Cell> cells = {shape};
  multiply(cells, &Cell::dtype, block.dtypes);
  multiply(cells, &Cell::distribution, block.distributions);
  multiply(cells, &Cell::lengths, block.lengths);
  multiply(cells, &Cell::mode, block.modes);
  multiply(cells, &Cell::order, block.orders);
  multiply(cells, &Cell::output, block.outputs);
  multiply(cells, &Cell::values, block.values);
  multiply(cells, &Cell::chain, block.chains);
  multiply(cells, &Cell::busy_sms, block.busy_sms);
  multiply(cells, &Cell::hint, block.hints);
  multiply(cells, &Cell::route, block.routes);
  multiply(cells, &Cell::split, block.splits);
  multiply(cells, &Cell::threads, block.threads);
  return cells;
}

// Scores depend on these; the rest of a cell only reads them.
auto score_key(const Cell& cell) {
  return std::tuple(-cell.width, -cell.capacity, cell.dtype, cell.distribution, cell.lengths);
}

bool comes_before(const Cell& a, const Cell& b) {
  const auto a_key = score_key(a), b_key = score_key(b);
  return a_key != b_key ? a_key < b_key : a < b;
}

std::int64_t capacity_of(std::int64_t asked, std::int64_t width) {
  if (asked == kCapacityOfWidth) return width;
  if (asked < width)
    cli::throw_usage("--capacity", "at least the width, " + std::to_string(width), std::to_string(asked));
  return asked;
}

}  // namespace

Grid named_grid(std::string_view name) {
  for (const NamedGrid& grid : kNamedGrids) {
    if (grid.name == name) return {grid.make()};
  }
  return {};
}

std::string grid_names() {
  std::string text;
  for (const NamedGrid& grid : kNamedGrids) text += (text.empty() ? "" : ", ") + std::string(grid.name);
  return text;
}

std::vector<Cell> enumerate_cells(const Grid& grid, const Thresholds& thresholds) {
  std::vector<Cell> cells;
  for (const GridBlock& block : grid) {
    for (const std::int64_t rows : block.rows) {
      for (const std::int64_t k : block.k) {
        Cell shape;
        shape.rows = rows;
        shape.k = k;
        std::vector<std::int64_t> widths = block.widths;
        if (block.thresholds) {
          const auto more = thresholds(shape, *std::max_element(widths.begin(), widths.end()));
          widths.insert(widths.end(), more.begin(), more.end());
        }
        for (const std::int64_t width : widths) {
          shape.width = width;
          for (const std::int64_t capacity : block.capacities) {
            shape.capacity = capacity_of(capacity, shape.width);
            const std::vector<Cell> more = variants(block, shape);
            cells.insert(cells.end(), more.begin(), more.end());
          }
        }
      }
    }
  }
  std::sort(cells.begin(), cells.end(), comes_before);
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  return cells;
}

bool share_scores(const Cell& a, const Cell& b) { return score_key(a) == score_key(b); }

std::vector<Cell> part_of(const std::vector<Cell>& cells, std::int64_t index, std::int64_t count) {
  std::vector<Cell> part;
  std::int64_t group = -1;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i == 0 || !share_scores(cells[i - 1], cells[i])) ++group;
    if (group % count == index - 1) part.push_back(cells[i]);
  }
  return part;
}

}  // namespace keysieve::bench

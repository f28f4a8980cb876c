#include "bench/slots.hpp"

namespace keysieve::bench {
namespace {

constexpr std::int64_t kRowStarts = 16;
constexpr std::int32_t kNoColumn = -2;

std::int64_t page_of(std::int64_t row, std::int64_t page, std::int64_t columns) {
  return columns - 1 - page + row % kRowStarts;
}

}  // namespace

std::int32_t out_offset(std::int64_t row) { return static_cast<std::int32_t>(row % 1000 * 7 + 3); }

std::vector<std::int32_t> make_page_table(std::int64_t rows, std::int64_t columns) {
  std::vector<std::int32_t> table;
  table.reserve(static_cast<std::size_t>(rows * columns));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t page = 0; page < columns; ++page) {
      table.push_back(static_cast<std::int32_t>(page_of(row, page, columns)));
    }
  }
  return table;
}

std::vector<std::int32_t> columns_of_slots(const Cell& cell, std::int64_t row, std::span<const std::int32_t> slots) {
  std::vector<std::int32_t> columns(slots.begin(), slots.end());
  for (std::int32_t& value : columns) {
    if (value == -1) continue;
    std::int64_t column = value;
    if (cell.output == IndexMode::kOffset) column -= out_offset(row);
    if (needs_pages(cell)) {
      const std::int64_t first_page = page_of(row, 0, page_columns(cell));
      column = value < 0 ? -1 : (first_page - value / kPageSize) * kPageSize + value % kPageSize;
    }
    const bool possible = column >= 0 && column < cell.width;
    value = possible ? static_cast<std::int32_t>(column) : kNoColumn;
  }
  return columns;
}

}  // namespace keysieve::bench

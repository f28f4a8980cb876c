#include "bench/cell.hpp"

#include "cli/option_names.hpp"

namespace keysieve::bench {
namespace {

constexpr std::int64_t kVectorBytes = 16;
constexpr std::int64_t kRegionBytes = 256;

std::int64_t round_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

std::string describe(const Cell& cell) {
  const Cell usual;
  std::string text = std::to_string(cell.rows) + " x " + std::to_string(cell.width) + " k " + std::to_string(cell.k);
  const auto add = [&](bool wanted, const std::string& word) {
    if (wanted) text += " " + word;
  };
  add(cell.capacity != cell.width, "capacity " + std::to_string(cell.capacity));
  add(cell.dtype != usual.dtype, cli::name_of(cell.dtype));
  add(cell.distribution != usual.distribution, name_of(cell.distribution));
  add(cell.lengths != usual.lengths, name_of(cell.lengths));
  add(cell.mode != usual.mode, name_of(cell.mode));
  add(cell.order != usual.order, "order " + std::string(cli::name_of(cell.order)));
  add(cell.output != usual.output, cli::name_of(cell.output));
  add(cell.values, "values");
  add(cell.chain != usual.chain, name_of(cell.chain));
  add(cell.busy_sms != 0, "busy " + std::to_string(cell.busy_sms));
  add(cell.hint != usual.hint, "hint " + std::string(name_of(cell.hint)));
  add(cell.route != usual.route, "route " + std::string(cli::name_of(cell.route)));
  add(cell.split != usual.split, "split " + std::to_string(cell.split));
  add(cell.threads != usual.threads, "threads " + std::to_string(cell.threads));
  return text;
}

SelectProblem problem_of(const Cell& cell, Backend backend) {
  SelectProblem problem;
  problem.device_type = backend == Backend::kCuda ? DeviceType::kCuda : DeviceType::kCpu;
  problem.backend = backend;
  problem.route = cell.route;
  problem.threads = cell.threads;
  problem.split = cell.split;
  problem.rows = cell.rows;
  problem.width = cell.capacity;
  problem.k = cell.k;
  problem.score_type = cell.dtype;
  problem.mode = cell.output;
  problem.order = cell.order;
  return problem;
}

std::int64_t row_stride(const Cell& cell) { return round_up(cell.capacity, kVectorBytes / size_bytes(cell.dtype)); }

std::int64_t score_bytes(const Cell& cell) { return cell.rows * row_stride(cell) * size_bytes(cell.dtype); }

std::int64_t page_columns(const Cell& cell) { return (cell.width + kPageSize - 1) / kPageSize; }

OutputLayout output_layout(const Cell& cell) {
  const std::int64_t index_bytes = round_up(cell.rows * cell.k * 4, kRegionBytes);
  OutputLayout layout;
  layout.raw_offset = index_bytes;
  layout.values_offset = index_bytes * (cell.output == IndexMode::kDual ? 2 : 1);
  layout.total_bytes = layout.values_offset + (cell.values ? cell.rows * cell.k * size_bytes(cell.dtype) : 0);
  return layout;
}

std::int64_t output_words_per_row(const Cell& cell) {
  const std::int64_t index_words = cell.k * (cell.output == IndexMode::kDual ? 2 : 1);
  return index_words + (cell.values ? (cell.k * size_bytes(cell.dtype) + 3) / 4 : 0);
}

}  // namespace keysieve::bench

#include "bench/row_checks.hpp"

#include <algorithm>
#include <thread>

#include "bench/runner.hpp"
#include "cpu/parallel.hpp"

namespace keysieve::bench {

void RowChecks::reset(ScoreType type, std::vector<std::int32_t> lengths, std::int64_t most_k, ReadScores read_scores) {
  type_ = type;
  lengths_ = std::move(lengths);
  most_k_ = most_k;
  read_scores_ = std::move(read_scores);
  truths_.clear();
}

void RowChecks::prepare_rows(const std::vector<std::int64_t>& rows) {
  struct Work {
    std::int64_t row;
    std::int64_t length;
    std::vector<std::byte> scores;
    RowTruth truth;
  };
  std::vector<Work> work;
  for (const std::int64_t row : rows) {
    if (truths_.contains(row)) continue;
    const std::int64_t length = lengths_[static_cast<std::size_t>(row)];
    work.push_back({row, length, read_scores_(row, length), {}});
  }
  const auto make = [&](std::int32_t, std::int64_t i) {
    Work& item = work[static_cast<std::size_t>(i)];
    item.truth = make_truth(std::move(item.scores), type_, item.length, most_k_);
  };
  const auto threads = static_cast<std::int32_t>(std::max(std::thread::hardware_concurrency(), 1u));
  cpu::parallel_for_each(threads, static_cast<std::int64_t>(work.size()), cpu::IndexedBody(make));
  for (Work& item : work) truths_.emplace(item.row, std::move(item.truth));
}

CellVerdict::CellVerdict(RowChecks& checks, const Cell& cell, const Promises& promises, int check_rows)
    : checks_(checks), cell_(cell), promises_(promises) {
  const std::vector<std::int64_t> rows = rows_to_check(cell.rows, check_rows);
  checks_.prepare_rows(rows);
  for (const std::int64_t row : rows) {
    if (is_judged(checks_.truths_.at(row), promises_)) judged_.push_back(row);
  }
}

void CellVerdict::look(const RowChecks::ReadOutputs& read_outputs) {
  for (const std::int64_t row : judged_) {
    const RowOutputs outputs = read_outputs(row);
    std::string fault = outputs_fault(cell_, row, checks_.truths_.at(row), outputs, promises_);
    const auto [seen, is_new] = seen_.try_emplace(row, outputs.slots);
    // Keysieve's order "any" promises the set and not the places.
    const bool has_places = promises_.reproducible && cell_.order != SlotOrder::kAny;
    if (fault.empty() && !is_new && has_places && seen->second != outputs.slots) {
      fault = "slots differ from those of the same call before";
    }
    if (!fault.empty()) faults_.try_emplace(row, "row " + std::to_string(row) + ", " + fault);
  }
}

std::vector<std::int64_t> rows_to_check(std::int64_t rows, int count) {
  const std::int64_t wanted = std::min<std::int64_t>(count, rows);
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < wanted; ++i) result.push_back(wanted == 1 ? 0 : i * (rows - 1) / (wanted - 1));
  return result;
}

std::int64_t cell_bytes(const Cell& cell) {
  std::int64_t columns = 0;
  for (std::int64_t row = 0; row < cell.rows; ++row) columns += row_length(cell.lengths, row, cell.width);
  return columns * size_bytes(cell.dtype) + cell.rows * output_words_per_row(cell) * 4;
}

}  // namespace keysieve::bench

// The host's opinion of a selected row. Shares no code with the library that it judges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/cell.hpp"
#include "keysieve/types.hpp"

namespace keysieve::bench {

// The min(k, length) best columns, best first: score descending with NaN below -inf and -0 equal to +0, then column
// ascending. `scores` is host memory.
std::vector<std::int32_t> best_columns(const void* scores, ScoreType type, std::int64_t length, std::int64_t k);

// Empty when `slots` hold exactly `best` in the asked order and -1 after it; else what is wrong.
std::string row_fault(std::span<const std::int32_t> slots, std::span<const std::int32_t> best, SlotOrder order);

// As row_fault, of equal scores any: the scores of the slots are those of `best` as a multiset.
std::string multiset_fault(std::span<const std::int32_t> slots, std::span<const std::int32_t> best, const void* scores,
                           ScoreType type, std::int64_t length);

bool holds_nan(const void* scores, ScoreType type, std::int64_t length);

// What is known of a row: its live scores, and the best columns for the largest k that is asked of it.
struct RowTruth {
  std::vector<std::byte> scores;
  std::int64_t length = 0;
  std::vector<std::int32_t> best;
  bool has_nan = false;
};

RowTruth make_truth(std::vector<std::byte> scores, ScoreType type, std::int64_t length, std::int64_t k);

// What an implementation says of itself; it is held to that and to nothing more.
struct Promises {
  bool exact = true;
  bool ties_smallest = true;
  bool nan_lowest = true;
  bool reproducible = true;
};

// What a call wrote for one row.
struct RowOutputs {
  std::vector<std::int32_t> slots;
  std::vector<std::int32_t> raw;  // mode dual
  std::vector<std::byte> values;  // where values are asked for
};

// Whether the promises say anything about such a row.
bool is_judged(const RowTruth& truth, const Promises& promises);

// Empty when the outputs of row `row` are what the cell asked for.
std::string outputs_fault(const Cell& cell, std::int64_t row, const RowTruth& truth, const RowOutputs& outputs,
                          const Promises& promises);

}  // namespace keysieve::bench

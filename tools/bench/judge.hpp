// The host's opinion of a selected row. Shares no code with the library that it judges.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "keysieve/types.hpp"

namespace keysieve::bench {

// The min(k, length) best columns, best first: score descending with NaN below -inf and -0 equal to +0, then column
// ascending. `scores` is host memory.
std::vector<std::int32_t> best_columns(const void* scores, ScoreType type, std::int64_t length, std::int64_t k);

// Empty when `slots` hold exactly `best` in the asked order and -1 after it; else what is wrong.
std::string row_fault(std::span<const std::int32_t> slots, std::span<const std::int32_t> best, SlotOrder order);

}  // namespace keysieve::bench

// The candidates of one row (or one piece of a row), in the order in which they were visited.
//
// Columns are visited so that of two equal scores the preferred one comes first (ascending for ties = smallest,
// descending for ties = largest). Visiting order therefore *is* the tie order: the composite of score and index
// needs no second compare anywhere, and a later column must beat the cutoff strictly once k candidates stand.
#pragma once

#include <cstdint>

#include "core/key_order.hpp"

namespace keysieve::cpu {

struct CandidateBuffer {
  // [capacity] each. keys[i] holds the raw score bits of candidates past num_keyed, their key before.
  std::uint32_t* keys = nullptr;
  std::uint32_t* columns = nullptr;
  std::int64_t capacity = 0;
  std::int64_t size = 0;
  std::int64_t num_keyed = 0;
  std::int64_t keep = 0;  // k: what a compaction leaves
  Key cutoff = 0;         // candidates below are not taken
  // A compaction has dropped candidates, so whatever is not in the buffer is known to lose against `keep`
  // others.
  bool compacted = false;
};

}  // namespace keysieve::cpu

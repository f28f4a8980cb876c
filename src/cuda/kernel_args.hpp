// What a kernel receives: the problem and the tensors with every automatic value resolved, and the plan's numbers.
// A kernel decides nothing that depends on shapes alone; that was the planner's work.
#pragma once

#include "core/key_order.hpp"
#include "keysieve/types.hpp"

namespace keysieve {

struct SelectKernelArgs {
  SelectProblem problem;
  SelectArgs args;
  std::int32_t candidate_capacity;
  std::int32_t candidate_limit;  // up to so many candidates there is room for one more chunk of every warp
  std::int32_t sample_vectors;   // observations: a power of two, at most twice the threads; 0: no sample
  std::int32_t split;            // CTAs that share a row
  std::int32_t geometry_by_all;  // route tile: every warp works out the row's geometry, and none waits for the first
  std::int32_t nan_is_highest;   // NaN ranks above +inf and may be chosen
  Key floor_key;                 // the lowest key that may be chosen: above -inf where absent scores are masked
};

}  // namespace keysieve

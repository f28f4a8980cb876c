// What a kernel receives: the problem and the tensors with every automatic value resolved, and the plan's numbers.
// A kernel decides nothing that depends on shapes alone; that was the planner's work.
#pragma once

#include "core/key_order.hpp"
#include "keysieve/types.hpp"

namespace keysieve {

// Where a source layer's scores leave the keys of their blocks of kPublishBlock columns (publish.h); absent otherwise.
inline constexpr std::int32_t kPublishBlock = 8;
struct BlockKeys {
  float* keys = nullptr;  // [rows, row_stride]
  std::int64_t row_stride = 0;
  std::int32_t* key_counts = nullptr;  // [rows] blocks that compete: all but the newest, or 0 where every block is kept
  std::int64_t kept_blocks = 0;        // rows of no more blocks keep them all
};

struct SelectKernelArgs {
  SelectProblem problem;
  SelectArgs args;
  std::int32_t candidate_capacity;
  std::int32_t candidate_limit;  // up to so many candidates there is room for one more chunk of every warp
  std::int32_t sample_vectors;   // observations: a power of two, at most twice the threads; 0: no sample
  std::int32_t split;            // CTAs that share a row
  std::int32_t geometry_by_all;  // route tile: every warp works out the row's geometry, and none waits for the first
  std::int32_t nan_is_highest;   // NaN ranks above +inf and may be chosen
  BlockKeys block_keys;          // of the kernels that publish
  Key floor_key;                 // the lowest key that may be chosen: above -inf where absent scores are masked
};

}  // namespace keysieve

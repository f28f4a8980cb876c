// Keys of blocks: the largest score of each (candidates.h).
#pragma once

#include "keysieve/candidates.h"
#include "operation/operation.hpp"

namespace keysieve {

struct BlockMaxParams {
  float* out;
  const void* scores;
  const std::int32_t* lengths;
  std::uint32_t* error_word;
  std::int64_t out_row_stride;
  std::int64_t score_row_stride;
  std::int64_t rows;
  std::int64_t most_length;  // what both widths have room for
  std::int64_t kept_blocks;
  std::int32_t block_shift;
  std::int32_t is_bfloat16;
  std::int32_t vectors_fit;  // blocks begin at 16-byte addresses
  std::int32_t parts;        // CUDA blocks that share a row
};

struct BlockMax {
  using Args = keysieve_block_max_args;
  using Params = BlockMaxParams;
  static constexpr OperationId kId = OperationId::kBlockMax;
  // 16-byte vectors or single scores that a thread has under way at once; a block of the kernel takes that many for
  // each of its threads, then the next ones of its part.
  static constexpr std::int32_t kPiecesAtOnce = 4;
  static constexpr std::int32_t kThreads = 256;

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("out", args.out, Access::kWrite);
    visit("scores", args.scores, Access::kRead);
    visit("lengths", args.lengths, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.out) || has_no_elements(args.scores); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params);
};

}  // namespace keysieve

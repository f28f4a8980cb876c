// Lengths of candidate rows (candidates.h).
#pragma once

#include "keysieve/candidates.h"
#include "operation/operation.hpp"

namespace keysieve {

struct CandidateLengthsParams {
  std::int32_t* num_blocks;
  std::int32_t* valid;
  const std::int32_t* lengths;
  std::uint32_t* error_word;
  std::int64_t rows;
  std::int64_t kept_blocks;
  std::int32_t block_shift;
};

struct CandidateLengths {
  using Args = keysieve_candidate_lengths_args;
  using Params = CandidateLengthsParams;
  static constexpr OperationId kId = OperationId::kCandidateLengths;

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("num_blocks", args.num_blocks, Access::kWrite);
    visit("valid", args.valid, Access::kWrite);
    visit("lengths", args.lengths, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.num_blocks); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params);
};

}  // namespace keysieve

#include "candidates/candidate_lengths.hpp"

#include <bit>

#include "candidates/row_checks.hpp"

namespace keysieve {

void CandidateLengths::check(const Args& args, Faults& faults) {
  check_block_size(faults, args.block_size);
  check_range(faults, "kept_blocks", 1, INT32_MAX, args.kept_blocks);
  TensorCheck num_blocks(faults, "num_blocks", args.num_blocks);
  num_blocks.required().element({KEYSIEVE_ELEMENT_INT32}).shape({{"rows", kAnySize}}).contiguous();
  if (!num_blocks.good()) return;
  const std::int64_t rows = args.num_blocks.shape[0];
  check_rows(faults, rows);
  TensorCheck(faults, "valid", args.valid)
      .required()
      .element({KEYSIEVE_ELEMENT_INT32})
      .shape({{"rows", rows}})
      .contiguous();
  check_lengths(faults, args.lengths, rows);
}

CandidateLengthsParams CandidateLengths::params(const Args& args) {
  Params params{};
  params.num_blocks = data_of<std::int32_t>(args.num_blocks);
  params.valid = data_of<std::int32_t>(args.valid);
  params.lengths = data_of<const std::int32_t>(args.lengths);
  params.error_word = args.call.error_word;
  params.rows = args.num_blocks.shape[0];
  params.kept_blocks = args.kept_blocks;
  params.block_shift = std::countr_zero(static_cast<std::uint32_t>(args.block_size));
  return params;
}

KernelCalls CandidateLengths::calls(const Params& params) {
  KernelCalls calls;
  KernelCall& call = calls.add();
  call.kernel = OperationKernel::kCandidateLengths;
  call.threads = 256;
  call.blocks = blocks_for(params.rows, call.threads);
  call.set_params(params);
  return calls;
}

}  // namespace keysieve

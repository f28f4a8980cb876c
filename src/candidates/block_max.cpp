#include "candidates/block_max.hpp"

#include <algorithm>
#include <bit>

#include "candidates/row_checks.hpp"

namespace keysieve {

void BlockMax::check(const Args& args, Faults& faults) {
  check_block_size(faults, args.block_size);
  check_range(faults, "kept_blocks", 0, INT32_MAX, args.kept_blocks);
  TensorCheck scores(faults, "scores", args.scores);
  scores.required()
      .element({KEYSIEVE_ELEMENT_FLOAT32, KEYSIEVE_ELEMENT_BFLOAT16})
      .shape({{"rows", kAnySize}, {"width", kAnySize}})
      .inner_stride_1();
  if (!scores.good()) return;
  const std::int64_t rows = args.scores.shape[0];
  check_rows(faults, rows);
  TensorCheck(faults, "out", args.out)
      .required()
      .element({KEYSIEVE_ELEMENT_FLOAT32})
      .shape({{"rows", rows}, {"blocks", kAnySize}})
      .inner_stride_1();
  check_lengths(faults, args.lengths, rows);
}

BlockMaxParams BlockMax::params(const Args& args) {
  Params params{};
  params.out = data_of<float>(args.out);
  params.scores = args.scores.data;
  params.lengths = data_of<const std::int32_t>(args.lengths);
  params.error_word = args.call.error_word;
  params.out_row_stride = args.out.strides[0];
  params.score_row_stride = args.scores.strides[0];
  params.rows = args.scores.shape[0];
  params.block_shift = std::countr_zero(static_cast<std::uint32_t>(args.block_size));
  // Lengths are 32-bit, so more room than that is not used, and the product cannot leave 64 bits.
  const std::int64_t blocks = std::min<std::int64_t>(args.out.shape[1], INT32_MAX);
  params.most_length = std::min<std::int64_t>({args.scores.shape[1], blocks << params.block_shift, INT32_MAX});
  params.kept_blocks = args.kept_blocks;
  params.is_bfloat16 = args.scores.element == KEYSIEVE_ELEMENT_BFLOAT16 ? 1 : 0;
  const std::int64_t score_bytes = params.is_bfloat16 != 0 ? 2 : 4;
  const auto address = reinterpret_cast<std::uintptr_t>(params.scores) |
                       static_cast<std::uintptr_t>(params.rows > 1 ? params.score_row_stride * score_bytes : 0);
  params.vectors_fit = address % 16 == 0 ? 1 : 0;
  // Enough CUDA blocks to fill the largest device twice, and not one per so many columns: of a wide buffer with short
  // rows nearly all would find nothing to do.
  constexpr std::int64_t kWantedBlocks = 2048;
  const std::int64_t pieces = params.vectors_fit != 0 ? params.most_length * score_bytes / 16 : params.most_length;
  const std::int64_t chunks =
      std::max<std::int64_t>((pieces + kThreads * kPiecesAtOnce - 1) / (kThreads * kPiecesAtOnce), 1);
  const std::int64_t wanted = (kWantedBlocks + params.rows - 1) / std::max<std::int64_t>(params.rows, 1);
  params.parts = static_cast<std::int32_t>(std::min(chunks, std::max<std::int64_t>(wanted, 1)));
  return params;
}

KernelCalls BlockMax::calls(const Params& params) {
  KernelCalls calls;
  KernelCall& call = calls.add();
  call.kernel = OperationKernel::kBlockMax;
  call.threads = kThreads;
  call.blocks = params.rows * params.parts;
  call.set_params(params);
  return calls;
}

}  // namespace keysieve

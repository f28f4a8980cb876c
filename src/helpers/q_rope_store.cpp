#include "helpers/q_rope_store.hpp"

#include <cstdint>

namespace keysieve {

void QRopeStore::check(const Args& args, Faults& faults) {
  TensorCheck q(faults, "q", args.q);
  q.required()
      .element({KEYSIEVE_ELEMENT_BFLOAT16})
      .shape({{"tokens", kAnySize}, {"heads", kAnySize}, {"dims", kDims}})
      .contiguous_inside();
  TensorCheck(faults, "freqs", args.freqs)
      .required()
      .element({KEYSIEVE_ELEMENT_FLOAT32})
      .shape({{"max_position", kAnySize}, {"pairs", kRotatedDims / 2}, {"parts", 2}})
      .contiguous();
  if (args.q.rank != 3) return;
  const std::int64_t tokens = args.q.shape[0], heads = args.q.shape[1];
  TensorCheck out(faults, "out", args.out);
  out.required()
      .element({KEYSIEVE_ELEMENT_BFLOAT16})
      .shape({{"tokens", tokens}, {"heads", heads}, {"dims", kDims}})
      .contiguous_inside();
  TensorCheck(faults, "positions", args.positions)
      .required()
      .element({KEYSIEVE_ELEMENT_INT32, KEYSIEVE_ELEMENT_INT64})
      .shape({{"tokens", tokens}})
      .contiguous();
  if (out.good() && tokens > 1 && args.out.strides[0] < heads * kDims) {
    faults.invalid("out: expected tokens that do not overlap, so a stride of " + std::to_string(heads * kDims) +
                   " or more, got " + std::to_string(args.out.strides[0]));
  }
}

QRopeStoreParams QRopeStore::params(const Args& args) {
  Params params{};
  params.out = static_cast<std::uint16_t*>(args.out.data);
  params.q = static_cast<const std::uint16_t*>(args.q.data);
  params.freqs = static_cast<const float*>(args.freqs.data);
  params.positions = args.positions.data;
  params.error_word = args.call.error_word;
  params.tokens = args.q.shape[0];
  params.heads = args.q.shape[1];
  // The stride of a single token says nothing.
  params.out_stride = params.tokens > 1 ? args.out.strides[0] : 0;
  params.q_stride = params.tokens > 1 ? args.q.strides[0] : 0;
  params.max_position = args.freqs.shape[0];
  params.positions_are_64_bit = args.positions.element == KEYSIEVE_ELEMENT_INT64 ? 1 : 0;
  const std::uintptr_t addresses = reinterpret_cast<std::uintptr_t>(params.out) |
                                   reinterpret_cast<std::uintptr_t>(params.q) |
                                   reinterpret_cast<std::uintptr_t>(params.freqs);
  params.vectors_fit = addresses % 16 == 0 && (params.out_stride | params.q_stride) % kPieceDims == 0 ? 1 : 0;
  params.branch = params.tokens * params.heads >= kPrefillHeads ? QRopeBranch::kPrefill : QRopeBranch::kDecode;
  return params;
}

KernelCalls QRopeStore::calls(const Params& params) {
  KernelCalls calls;
  KernelCall& call = calls.add();
  call.kernel = OperationKernel::kQRopeStore;
  if (params.branch == QRopeBranch::kDecode) {
    call.threads = kPieces;
    call.blocks = blocks_for(params.tokens * params.heads, 1);
  } else {
    constexpr std::int32_t kWarps = 8;
    call.threads = kWarps * 32;
    call.blocks = blocks_for(params.tokens * ((params.heads + kHeadsAtOnce - 1) / kHeadsAtOnce), kWarps);
  }
  call.set_params(params);
  return calls;
}

}  // namespace keysieve

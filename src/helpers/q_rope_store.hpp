// q RoPE store (kernels.h): heads copied, their last 64 dims rotated.
#pragma once

#include "operation/operation.hpp"

namespace keysieve {

// Who takes which heads; the bytes are the same.
enum class QRopeBranch : std::int32_t {
  kDecode,   // a CTA a head: as many SMs as there are heads
  kPrefill,  // a warp for several heads of a token: more loads in flight, one read of the frequencies
};

struct QRopeStoreParams {
  std::uint16_t* out;
  const std::uint16_t* q;
  const float* freqs;
  const void* positions;
  std::uint32_t* error_word;  // may be null
  std::int64_t tokens;
  std::int64_t heads;
  std::int64_t out_stride;  // of tokens, in elements
  std::int64_t q_stride;
  std::int64_t max_position;
  std::int32_t positions_are_64_bit;
  std::int32_t
      vectors_fit;     // pieces of 8 dims of `q` and `out`, and of 4 floats of `freqs`, begin at 16-byte addresses
  QRopeBranch branch;  // where a test sets the other one, the bytes stay the same
};

struct QRopeStore {
  using Args = keysieve_q_rope_store_args;
  using Params = QRopeStoreParams;
  static constexpr OperationId kId = OperationId::kQRopeStore;
  static constexpr std::int32_t kDims = 512;
  static constexpr std::int32_t kRotatedDims = 64;
  static constexpr std::int32_t kPieceDims = 8;  // 16 bytes
  static constexpr std::int32_t kPieces = kDims / kPieceDims;
  static constexpr std::int32_t kCopiedPieces = (kDims - kRotatedDims) / kPieceDims;
  static constexpr std::int32_t kHeadsAtOnce = 4;
  // Heads of all tokens from which the prefill branch is taken: as many CTAs of the decode branch fill the SMs of an
  // H200 once (32 on each of 132).
  static constexpr std::int64_t kPrefillHeads = 4096;
  static constexpr InPlace kInPlace[] = {{"out", "q"}};

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("out", args.out, Access::kWrite);
    visit("q", args.q, Access::kRead);
    visit("freqs", args.freqs, Access::kRead);
    visit("positions", args.positions, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.out); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params);
};

}  // namespace keysieve

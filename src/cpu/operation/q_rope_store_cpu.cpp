#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/number_formats.hpp"
#include "cpu/operation/rows.hpp"
#include "cpu/operations.hpp"

namespace keysieve::cpu {
namespace {

constexpr std::int64_t kDims = QRopeStore::kDims, kRotated = QRopeStore::kRotatedDims, kCopied = kDims - kRotated;

// `freqs`: of the token's position; null: there is none.
void store_head(const std::uint16_t* q, std::uint16_t* out, const float* freqs) {
  if (q != out) std::memcpy(out, q, kCopied * sizeof(*q));
  if (freqs == nullptr) {
    std::fill_n(out + kCopied, kRotated, std::uint16_t{0x7FFF});
    return;
  }
  for (std::int64_t at = 0; at < kRotated; at += 2) {
    const float a = float_from_bfloat16(q[kCopied + at]), b = float_from_bfloat16(q[kCopied + at + 1]);
    const float cosine = freqs[at], sine = freqs[at + 1];
    out[kCopied + at] = bfloat16_from_float(std::fma(a, cosine, -(b * sine)));
    out[kCopied + at + 1] = bfloat16_from_float(std::fma(a, sine, b * cosine));
  }
}

void store_token(const QRopeStoreParams& params, std::int64_t token) {
  const std::int64_t position = integer_at(params.positions, params.positions_are_64_bit, token);
  const bool known = position >= 0 && position < params.max_position;
  if (!known) report(params.error_word, KEYSIEVE_ERROR_BAD_POSITION);
  const float* freqs = known ? params.freqs + position * kRotated : nullptr;
  const std::uint16_t* q = params.q + token * params.q_stride;
  std::uint16_t* out = params.out + token * params.out_stride;
  for (std::int64_t head = 0; head < params.heads; ++head) store_head(q + head * kDims, out + head * kDims, freqs);
}

}  // namespace

void q_rope_store(const QRopeStoreParams& params, std::int32_t threads) {
  parallel_for_each(threads, params.tokens,
                    IndexedBody([&](std::int32_t, std::int64_t token) { store_token(params, token); }));
}

}  // namespace keysieve::cpu

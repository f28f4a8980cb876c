// q RoPE store, dim by dim. A product of a BF16 and an FP32 has 32 significant bits, so it is exact in double and its
// conversion is the one rounding to FP32.
#include <cmath>

#include "helpers/q_rope_store.hpp"
#include "reference/number_reference.hpp"

namespace keysieve {

void QRopeStore::reference(const Args& args) {
  const std::int64_t tokens = args.q.shape[0], heads = args.q.shape[1], max_position = args.freqs.shape[0];
  for (std::int64_t token = 0; token < tokens; ++token) {
    const std::int64_t position = args.positions.element == KEYSIEVE_ELEMENT_INT64
                                      ? static_cast<const std::int64_t*>(args.positions.data)[token]
                                      : static_cast<const std::int32_t*>(args.positions.data)[token];
    const bool known = position >= 0 && position < max_position;
    if (!known && args.call.error_word != nullptr) *args.call.error_word |= KEYSIEVE_ERROR_BAD_POSITION;
    for (std::int64_t head = 0; head < heads; ++head) {
      const auto* q = static_cast<const std::uint16_t*>(args.q.data) + token * args.q.strides[0] + head * 512;
      auto* out = static_cast<std::uint16_t*>(args.out.data) + token * args.out.strides[0] + head * 512;
      for (int dim = 0; dim < 448; ++dim) out[dim] = q[dim];
      for (int pair = 0; pair < 32; ++pair) {
        const double a = reference::value_of_bfloat16(q[448 + 2 * pair]);
        const double b = reference::value_of_bfloat16(q[448 + 2 * pair + 1]);
        double first = std::nan(""), second = std::nan("");
        if (known) {
          const float* cosine_sine = static_cast<const float*>(args.freqs.data) + (position * 32 + pair) * 2;
          const double c = cosine_sine[0], s = cosine_sine[1];
          const auto b_times_s = static_cast<float>(b * s), b_times_c = static_cast<float>(b * c);
          first = std::fma(static_cast<float>(a), cosine_sine[0], -b_times_s);
          second = std::fma(static_cast<float>(a), cosine_sine[1], b_times_c);
        }
        out[448 + 2 * pair] = reference::nearest_bfloat16(first);
        out[448 + 2 * pair + 1] = reference::nearest_bfloat16(second);
      }
    }
  }
}

}  // namespace keysieve

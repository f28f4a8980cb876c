// Keys and queries of an FP4 indexer, step by step: every rounding by name. What is rounded to float is first computed
// in double, which rounds a sum, a product, a quotient or a root of floats to the same float as rounding once; a fused
// multiply-add is the standard library's.
#include <cmath>
#include <cstring>

#include "helpers/fp4_indexer.hpp"
#include "reference/key_reference.hpp"
#include "reference/number_reference.hpp"

namespace keysieve {
namespace {

using reference::nearest_bfloat16;
using reference::value_of_bfloat16;

double as_float(double value) { return static_cast<double>(static_cast<float>(value)); }

// 16 sums of 8 squares, then a tree of pairs.
double sum_of_squares(const std::uint16_t* x) {
  double sums[16];
  for (int run = 0; run < 16; ++run) {
    sums[run] = 0;
    for (int i = 0; i < 8; ++i) {
      const double value = value_of_bfloat16(x[8 * run + i]);
      sums[run] = as_float(sums[run] + as_float(value * value));
    }
  }
  for (int count = 8; count >= 1; count /= 2) {
    for (int i = 0; i < count; ++i) sums[i] = as_float(sums[2 * i] + sums[2 * i + 1]);
  }
  return sums[0];
}

void normalise(const std::uint16_t* x, const std::uint16_t* weight, float eps, std::uint16_t* v) {
  const double mean = as_float(sum_of_squares(x) / 128);
  const double inverse = as_float(1 / as_float(std::sqrt(as_float(mean + static_cast<double>(eps)))));
  for (int dim = 0; dim < 128; ++dim) {
    const double scaled = as_float(value_of_bfloat16(x[dim]) * inverse);
    v[dim] = nearest_bfloat16(as_float(value_of_bfloat16(weight[dim]) * scaled));
  }
}

void rotate(std::uint16_t* v, const float* freqs) {
  for (int i = 0; i < 32; ++i) {
    const float c = freqs[2 * i], s = freqs[2 * i + 1];
    const auto a = static_cast<float>(value_of_bfloat16(v[64 + 2 * i]));
    const auto b = static_cast<float>(value_of_bfloat16(v[65 + 2 * i]));
    const auto b_s = static_cast<float>(static_cast<double>(b) * static_cast<double>(s));
    const auto b_c = static_cast<float>(static_cast<double>(b) * static_cast<double>(c));
    v[64 + 2 * i] = nearest_bfloat16(std::fma(a, c, -b_s));
    v[65 + 2 * i] = nearest_bfloat16(std::fma(a, s, b_c));
  }
}

void quantise(const std::uint16_t* v, std::uint8_t* payload, std::uint8_t* scale_bytes) {
  reference::Fp4Group groups[4];
  for (int g = 0; g < 4; ++g) {
    reference::SignedValue values[32];
    for (int i = 0; i < 32; ++i) values[i] = reference::signed_bfloat16(v[32 * g + i]);
    reference::fake_quantise(values);
    groups[g] = reference::packed_group(values, false);
  }
  reference::write_fp4_vector(groups, payload, scale_bytes);
}

void add_error(const keysieve_call& call, std::uint32_t bit) {
  if (call.error_word != nullptr) *call.error_word |= bit;
}

}  // namespace

void Fp4IndexerKey::reference(const Args& args) {
  for (std::int64_t n = 0; n < args.x.shape[0]; ++n) {
    const std::int64_t slot = reference::integer_at(args.slots, n);
    if (slot <= 0) continue;
    const reference::SlotBytes to = reference::bytes_of_slot(args.cache, slot);
    if (to.payload == nullptr) {
      add_error(args.call, KEYSIEVE_ERROR_BAD_ID);
      continue;
    }
    const std::int64_t position = reference::integer_at(args.positions, n);
    if (position < 0 || position >= args.freqs.shape[0]) {
      add_error(args.call, KEYSIEVE_ERROR_BAD_POSITION);
      continue;
    }
    std::uint16_t v[128];
    normalise(static_cast<const std::uint16_t*>(args.x.data) + n * args.x.strides[0],
              static_cast<const std::uint16_t*>(args.weight.data), args.eps, v);
    rotate(v, static_cast<const float*>(args.freqs.data) + 64 * (position - position % args.ratio));
    quantise(v, to.payload, to.scale);
  }
}

void Fp4IndexerQuery::reference(const Args& args) {
  const std::int64_t tokens = args.x.shape[0], heads = args.x.shape[1];
  for (std::int64_t token = 0; token < tokens; ++token) {
    const std::int64_t position = reference::integer_at(args.positions, token);
    const bool good = position >= 0 && position < args.freqs.shape[0];
    if (!good) add_error(args.call, KEYSIEVE_ERROR_BAD_POSITION);
    for (std::int64_t head = 0; head < heads; ++head) {
      const std::int64_t row = token * heads + head;
      auto* payload = static_cast<std::uint8_t*>(args.payload.data) + 64 * row;
      auto* scale = static_cast<std::uint8_t*>(args.scales.data) + 4 * row;
      if (good) {
        std::uint16_t v[128];
        const auto* x = static_cast<const std::uint16_t*>(args.x.data);
        std::memcpy(v, x + token * args.x.strides[0] + head * args.x.strides[1], sizeof(v));
        rotate(v, static_cast<const float*>(args.freqs.data) + 64 * position);
        quantise(v, payload, scale);
      } else {
        std::memset(payload, 0, 64);
        std::memset(scale, 0, 4);
      }
      if (is_present(args.weights)) {
        const auto weight =
            static_cast<const std::uint16_t*>(args.weights.data)[token * args.weights.strides[0] + head];
        const double scaled = as_float(value_of_bfloat16(weight) * static_cast<double>(args.weight_scale));
        // The bits of a BF16 are the upper half of the same number's in FP32, of NaN too.
        const std::uint32_t bits = std::uint32_t{nearest_bfloat16(scaled)} << 16;
        std::memcpy(static_cast<float*>(args.weights_out.data) + row, &bits, sizeof(bits));
      }
    }
  }
}

}  // namespace keysieve

// FP8 quantisation: 16 lanes a vector.
#pragma once

#include "cuda/operation/fp4_quantise.hpp"

namespace keysieve {

// value / divisor, correctly rounded wherever neither it nor the steps on the way are subnormal, with the sign of value
// at zero; inverse = 1 / divisor, correctly rounded. The first estimate is within 2 units of the last place, a step
// brings it within one, and the second gives the quotient's own rounding.
KEYSIEVE_DEVICE float quotient_by(float value, float divisor, float inverse) {
  float quotient = simt::multiply(value, inverse);
  KEYSIEVE_UNROLL
  for (int step = 0; step < 2; ++step) {
    const float excess = simt::multiply_add(quotient, divisor, -value);
    quotient = simt::multiply_add(-excess, inverse, quotient);
  }
  return quotient;
}

KEYSIEVE_DEVICE float fp8_scale(std::uint32_t most, bool to_power_of_two) {
  const float scale = simt::divide(simt::max_number(float_of(most), 1e-4f), 448.0f);
  return to_power_of_two ? float_of(exponent_rounded_up(scale) << 23) : scale;
}

KEYSIEVE_DEVICE void fp8_quantise(const KeyQuantiseParams& params) {
  simt::wait_for_dependencies();
  const VectorLanes lanes = vector_lanes();
  const bool vectors_fit = params.x_vectors_fit != 0;
  for (std::int64_t first = lanes.first; first < params.rows; first += lanes.step) {
    const std::int64_t row = first + lanes.half;
    const bool exists = row < params.rows;
    const std::int64_t at = row * params.x_row_stride + 8 * lanes.lane;
    float values[8] = {};
    std::uint32_t most;
    if (params.x_is_float32 != 0) {
      if (exists) load_floats(static_cast<const float*>(params.x) + at, vectors_fit, values);
      most = largest_bits_of(values);
    } else {
      Eight eight{};
      if (exists) eight = load_eight(static_cast<const std::uint16_t*>(params.x) + at, vectors_fit);
      most = largest_bits_of(eight);
      floats_of(eight, values);
    }
    most = largest_bits<16>(most);
    if (!exists) continue;
    float scale = 0x1p127f;
    std::uint32_t words[2] = {0x7F7F7F7Fu, 0x7F7F7F7Fu};
    if (is_finite(most)) {
      scale = fp8_scale(most, params.scale_to_power_of_two != 0);
      const float inverse = simt::divide(1.0f, scale);
      KEYSIEVE_UNROLL
      for (int i = 0; i < 2; ++i) {
        const float* of = values + 4 * i;
        const std::uint32_t low =
            simt::e4m3_pair(quotient_by(of[0], scale, inverse), quotient_by(of[1], scale, inverse));
        const std::uint32_t high =
            simt::e4m3_pair(quotient_by(of[2], scale, inverse), quotient_by(of[3], scale, inverse));
        words[i] = low | high << 16;
      }
    }
    std::uint8_t* payload = params.payload + row * params.payload_row_stride + 8 * lanes.lane;
    if (params.payload_pairs_fit != 0) {
      simt::store_pair(payload, words[0], words[1]);
    } else {
      simt::store_word(payload, words[0]);
      simt::store_word(payload + 4, words[1]);
    }
    if (lanes.lane == 0) simt::store_word(static_cast<float*>(params.scales) + row, bits_of(scale));
  }
}

}  // namespace keysieve

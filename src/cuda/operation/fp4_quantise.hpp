// FP4 quantisation: 16 lanes a vector.
#pragma once

#include "cuda/operation/fp4_lanes.hpp"
#include "helpers/key_quantise.hpp"

namespace keysieve {

KEYSIEVE_DEVICE void load_floats(const float* at, bool vectors_fit, float* values) {
  if (vectors_fit) {
    KEYSIEVE_UNROLL
    for (int i = 0; i < 8; i += 4) {
      const simt::Vector vector = simt::load_streaming(at + i);
      KEYSIEVE_UNROLL
      for (int j = 0; j < 4; ++j) values[i + j] = float_of(vector.words[j]);
    }
  } else {
    KEYSIEVE_UNROLL
    for (int i = 0; i < 8; ++i) values[i] = at[i];
  }
}

struct LaneFp4 {
  std::uint32_t codes;
  std::uint32_t byte;
};

KEYSIEVE_DEVICE LaneFp4 quantise_bfloats(const Eight& eight, bool ties_to_zero) {
  const std::uint32_t most = largest_bits<4>(largest_bits_of(eight));
  // Of a BF16 the product has the same exponent rounded up as the quotient by 6.
  const std::uint32_t byte = is_finite(most) ? pack_byte(simt::multiply(float_of(most), kOneSixth)) : 254;
  EightCodes codes;
  if (byte <= kMostPairedByte) {
    codes = paired_codes(eight, byte, ties_to_zero);
  } else {
    float values[8];
    floats_of(eight, values);
    codes = single_codes(values, byte, ties_to_zero);
  }
  const std::uint32_t low = signs_of(eight.pairs[0], eight.pairs[1]), high = signs_of(eight.pairs[2], eight.pairs[3]);
  return {packed_word(codes, low, high), byte};
}

KEYSIEVE_DEVICE LaneFp4 quantise_floats(const float* values, bool ties_to_zero) {
  const std::uint32_t most = largest_bits<4>(largest_bits_of(values));
  const std::uint32_t byte = is_finite(most) ? pack_byte(simt::divide(float_of(most), 6.0f)) : 254;
  return {packed_word(single_codes(values, byte, ties_to_zero), signs_of(values), signs_of(values + 4)), byte};
}

KEYSIEVE_DEVICE void fp4_quantise(const KeyQuantiseParams& params) {
  simt::wait_for_dependencies();
  const VectorLanes lanes = vector_lanes();
  const bool ties_to_zero = params.ties_to_zero != 0, vectors_fit = params.x_vectors_fit != 0;
  for (std::int64_t first = lanes.first; first < params.rows; first += lanes.step) {
    const std::int64_t row = first + lanes.half;
    const bool exists = row < params.rows;
    const std::int64_t at = row * params.x_row_stride + 8 * lanes.lane;
    LaneFp4 made;
    if (params.x_is_float32 != 0) {
      float values[8] = {};
      if (exists) load_floats(static_cast<const float*>(params.x) + at, vectors_fit, values);
      made = quantise_floats(values, ties_to_zero);
    } else {
      Eight eight{};
      if (exists) eight = load_eight(static_cast<const std::uint16_t*>(params.x) + at, vectors_fit);
      made = quantise_bfloats(eight, ties_to_zero);
    }
    const std::uint32_t scales = scale_word(made.byte, lanes.lane);
    if (!exists) continue;
    simt::store_word(params.payload + row * params.payload_row_stride + 4 * lanes.lane, made.codes);
    if (lanes.lane == 0) simt::store_word(static_cast<std::uint32_t*>(params.scales) + row, scales);
  }
}

}  // namespace keysieve

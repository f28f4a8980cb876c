// FP4 quantisation: 8 lanes a vector of BF16, 16 one of FP32.
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

// Of a lane of 8.
struct LaneFp4Pair {
  std::uint32_t lower, upper;  // codes
  std::uint32_t bytes;         // of the lower half's group, and of the upper one's 16 bits above
};

// For groups with huge values, infinities or NaN.
KEYSIEVE_DEVICE LaneFp4 quantise_by_value(const Eight& eight, std::uint32_t most, bool ties_to_zero) {
  const std::uint32_t byte = is_finite(most) ? pack_byte(simt::multiply(float_of(most), kOneSixth)) : 254;
  float values[8];
  floats_of(eight, values);
  const std::uint32_t low = signs_of(eight.pairs[0], eight.pairs[1]), high = signs_of(eight.pairs[2], eight.pairs[3]);
  return {packed_word(single_codes(values, byte, ties_to_zero), low, high), byte};
}

KEYSIEVE_DEVICE LaneFp4Pair quantise_bfloats(const Sixteen& sixteen, bool ties_to_zero) {
  // 0x3A00: the largest power of two with the floor's byte, 114.
  const std::uint32_t most = simt::max_or_nan_bfloat(largest_of_groups(sixteen), 0x3A003A00u);
  if (above_paired(most) != 0) {
    const LaneFp4 lower = quantise_by_value(sixteen.lower, most << 16, ties_to_zero);
    const LaneFp4 upper = quantise_by_value(sixteen.upper, most & 0xFFFF0000u, ties_to_zero);
    return {lower.codes, upper.codes, lower.byte | upper.byte << 16};
  }
  const std::uint32_t sixths = rounded_sixths(most);
  // The next BF16 below where ties go to zero. Halves and doubles differ in the exponent.
  const std::uint32_t once = inverses_of_sixths(sixths) - (ties_to_zero ? 0x00010001u : 0u);
  const CodeLines lines{once + 0x00800080u, once, once - 0x00800080u, 0, 0};
  return {codes_on_lines<false, false>(sixteen.lower, lines), codes_on_lines<true, false>(sixteen.upper, lines),
          bytes_of_sixths(sixths)};
}

KEYSIEVE_DEVICE LaneFp4 quantise_floats(const float* values, bool ties_to_zero) {
  const std::uint32_t most = largest_bits<4>(largest_bits_of(values));
  const std::uint32_t byte = is_finite(most) ? pack_byte(simt::divide(float_of(most), 6.0f)) : 254;
  return {packed_word(single_codes(values, byte, ties_to_zero), signs_of(values), signs_of(values + 4)), byte};
}

template <bool kVectorsFit>
KEYSIEVE_DEVICE void fp4_quantise_bfloats(const KeyQuantiseParams& params) {
  const OctetLanes lanes = octet_lanes();
  for (std::int64_t row = lanes.row; warp_has_row(row, params.rows); row += lanes.step) {
    const std::int64_t existing = row < params.rows ? row : params.rows - 1;
    const auto* x = static_cast<const std::uint16_t*>(params.x) + existing * params.x_row_stride + 8 * lanes.lane;
    const LaneFp4Pair made = quantise_bfloats(load_sixteen<kVectorsFit>(x), params.ties_to_zero != 0);
    const std::uint32_t scales = scale_word_of_two(made.bytes, lanes.lane);
    if (row >= params.rows) continue;
    std::uint8_t* payload = params.payload + row * params.payload_row_stride + 4 * lanes.lane;
    simt::store_word(payload, made.lower);
    simt::store_word(payload + 32, made.upper);
    if (lanes.lane == 0) simt::store_word(static_cast<std::uint32_t*>(params.scales) + row, scales);
  }
}

KEYSIEVE_DEVICE void fp4_quantise_floats(const KeyQuantiseParams& params) {
  const VectorLanes lanes = vector_lanes();
  for (std::int64_t first = lanes.first; first < params.rows; first += lanes.step) {
    const std::int64_t row = first + lanes.half;
    const bool exists = row < params.rows;
    float values[8] = {};
    const auto* x = static_cast<const float*>(params.x) + row * params.x_row_stride + 8 * lanes.lane;
    if (exists) load_floats(x, params.x_vectors_fit != 0, values);
    const LaneFp4 made = quantise_floats(values, params.ties_to_zero != 0);
    const std::uint32_t scales = scale_word(made.byte, lanes.lane);
    if (!exists) continue;
    simt::store_word(params.payload + row * params.payload_row_stride + 4 * lanes.lane, made.codes);
    if (lanes.lane == 0) simt::store_word(static_cast<std::uint32_t*>(params.scales) + row, scales);
  }
}

KEYSIEVE_DEVICE void fp4_quantise(const KeyQuantiseParams& params) {
  simt::wait_for_dependencies();
  if (params.x_is_float32 != 0) {
    fp4_quantise_floats(params);
  } else if (params.x_vectors_fit != 0) {
    fp4_quantise_bfloats<true>(params);
  } else {
    fp4_quantise_bfloats<false>(params);
  }
}

}  // namespace keysieve

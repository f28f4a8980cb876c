// Keys and queries of an FP4 indexer: 16 lanes a vector; the upper 8 hold the dims that are rotated.
#pragma once

#include "cuda/operation/cache_copy.hpp"
#include "cuda/operation/fp4_quantise.hpp"
#include "helpers/fp4_indexer.hpp"

namespace keysieve {

KEYSIEVE_DEVICE bool is_in_table(const RotaryTable& rotary, std::int64_t position) {
  return position >= 0 && position < rotary.num_positions;
}

KEYSIEVE_DEVICE void rotate(Eight& eight, const RotaryTable& rotary, std::int64_t position, int lane) {
  if (lane < 8) return;
  const float* freqs = rotary.freqs + position * kRotaryDims + 8 * (lane - 8);
  float turns[8];
  if (rotary.vectors_fit != 0) {
    KEYSIEVE_UNROLL
    for (int i = 0; i < 8; i += 4) {
      // Other heads, and other tokens of a key, read the same.
      const simt::Vector vector = simt::load_shared_input(freqs + i);
      KEYSIEVE_UNROLL
      for (int j = 0; j < 4; ++j) turns[i + j] = float_of(vector.words[j]);
    }
  } else {
    KEYSIEVE_UNROLL
    for (int i = 0; i < 8; ++i) turns[i] = freqs[i];
  }
  KEYSIEVE_UNROLL
  for (int i = 0; i < 4; ++i) {
    const float a = low_float(eight.pairs[i]), b = high_float(eight.pairs[i]);
    const float c = turns[2 * i], s = turns[2 * i + 1];
    eight.pairs[i] = simt::bfloat16_pair(simt::multiply_add(a, c, -simt::multiply(b, s)),
                                         simt::multiply_add(a, s, simt::multiply(b, c)));
  }
}

// v = bf16( weight * (x * rsqrt(sum(x^2) / 128 + eps)) )
KEYSIEVE_DEVICE void normalise(Eight& eight, const Eight& weight, float eps) {
  float values[8];
  floats_of(eight, values);
  float sum = 0;
  KEYSIEVE_UNROLL
  for (int i = 0; i < 8; ++i) sum = simt::add(sum, simt::multiply(values[i], values[i]));
  KEYSIEVE_UNROLL
  for (int mask = 1; mask < 16; mask *= 2) sum = simt::add(sum, simt::shuffle_xor(sum, mask));
  const float root = simt::square_root(simt::add(simt::multiply(sum, 0.0078125f), eps));
  const float inverse = simt::divide(1.0f, root);
  KEYSIEVE_UNROLL
  for (int i = 0; i < 4; ++i) {
    const float low = simt::multiply(low_float(weight.pairs[i]), simt::multiply(values[2 * i], inverse));
    const float high = simt::multiply(high_float(weight.pairs[i]), simt::multiply(values[2 * i + 1], inverse));
    eight.pairs[i] = simt::bfloat16_pair(low, high);
  }
}

// Codes 0..5 of half the value on half the scale: 0, 2, 4, 5, 6, 7.
KEYSIEVE_DEVICE std::uint32_t doubled(std::uint32_t codes) {
  const std::uint32_t from_2 = (codes + 0x06060606u) & 0x08080808u;  // code >= 2
  return codes + (from_2 >> 2) + (codes & 0x01010101u & ~(from_2 >> 3));
}

// For tiny groups, on the floor of the scale, and those with huge values, infinities or NaN.
KEYSIEVE_DEVICE LaneFp4 quantise_twice_by_value(const Eight& eight, std::uint32_t most, std::uint32_t byte) {
  float values[8];
  floats_of(eight, values);
  std::uint32_t byte_after = 254;
  if (is_finite(most)) {
    const float scale = float_of(byte << 23), inverse = float_of((254u - byte) << 23);
    const auto and_back = [&](float value) {
      const float magnitude = float_of(bits_of(value) & 0x7FFFFFFFu);
      return simt::multiply(float_from_e2m1(e2m1_code(magnitude, inverse)), scale);
    };
    KEYSIEVE_UNROLL
    for (int i = 0; i < 8; ++i) values[i] = and_back(values[i]);
    const float most_after = and_back(float_of(most));
    if (is_finite(bits_of(most_after))) byte_after = pack_byte(simt::multiply(most_after, kOneSixth));
  }
  const std::uint32_t low = signs_of(eight.pairs[0], eight.pairs[1]), high = signs_of(eight.pairs[2], eight.pairs[3]);
  return {packed_word(single_codes(values, byte_after, false), low, high), byte_after};
}

// Quantised, back, and packed with the scale of what came back.
KEYSIEVE_DEVICE LaneFp4 quantise_twice(const Eight& eight) {
  const std::uint32_t most = largest_bits<4>(largest_bits_of(eight));
  const float sixth = simt::multiply(simt::max_number(float_of(most), 6 * 0x1p-126f), kOneSixth);
  const std::uint32_t byte = exponent_rounded_up(sixth);
  if (is_finite(most) && byte <= kMostPairedByte) {
    const std::uint32_t most_code = e2m1_code(float_of(most), float_of((254u - byte) << 23));
    const float most_after = simt::multiply(float_from_e2m1(most_code), float_of(byte << 23));
    const std::uint32_t byte_after = pack_byte(simt::multiply(most_after, kOneSixth));
    // Else the floor of the pack scale is at work. One less: the largest magnitude became 3 on its scale.
    if (byte_after <= byte) {
      EightCodes codes = paired_codes(eight, byte, false);
      if (byte_after != byte) codes = {{doubled(codes.words[0]), doubled(codes.words[1])}};
      const std::uint32_t low = signs_of(eight.pairs[0], eight.pairs[1]);
      const std::uint32_t high = signs_of(eight.pairs[2], eight.pairs[3]);
      return {packed_word(codes, low, high), byte_after};
    }
  }
  return quantise_twice_by_value(eight, most, byte);
}

KEYSIEVE_DEVICE void fp4_indexer_key(const Fp4IndexerKeyParams& params) {
  simt::wait_for_dependencies();
  const VectorLanes lanes = vector_lanes();
  const bool vectors_fit = params.vectors_fit != 0;
  for (std::int64_t first = lanes.first; first < params.rows; first += lanes.step) {
    const std::int64_t row = first + lanes.half;
    Eight eight{}, weight{};
    std::int64_t slot = 0, position = 0;
    if (row < params.rows) {
      slot = slot_at(params.slots, params.slots_are_64_bit, row);
      position = slot_at(params.rotary.positions, params.rotary.positions_are_64_bit, row);
      eight = load_eight(params.x + row * params.x_row_stride + 8 * lanes.lane, vectors_fit);
      weight = load_eight(params.weight + 8 * lanes.lane, vectors_fit);
    }
    const bool has_slot = slot > 0 && slot < params.cache.num_slots;
    const bool has_position = is_in_table(params.rotary, position);
    if (lanes.lane == 0 && slot > 0 && !(has_slot && has_position)) {
      report(params.error_word, has_slot ? KEYSIEVE_ERROR_BAD_POSITION : KEYSIEVE_ERROR_BAD_ID);
    }
    normalise(eight, weight, params.eps);
    if (has_slot && has_position) rotate(eight, params.rotary, position & ~(params.ratio - 1), lanes.lane);
    const LaneFp4 made = quantise_twice(eight);
    const std::uint32_t scales = scale_word(made.byte, lanes.lane);
    if (!has_slot || !has_position) continue;
    simt::store_word(params.cache.payload_of(slot) + 4 * lanes.lane, made.codes);
    if (lanes.lane == 0) simt::store_word(params.cache.scale_of(slot), scales);
  }
}

KEYSIEVE_DEVICE void fp4_indexer_query(const Fp4IndexerQueryParams& params) {
  simt::wait_for_dependencies();
  const VectorLanes lanes = vector_lanes();
  for (std::int64_t first = lanes.first; first < params.rows; first += lanes.step) {
    const std::int64_t row = first + lanes.half;
    const bool exists = row < params.rows;
    const auto token =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(row) * params.token_factor >> params.token_shift);
    const std::int64_t head = row - token * params.heads;
    Eight eight{};
    std::int64_t position = 0;
    std::uint16_t weight = 0;
    if (exists) {
      eight = load_eight(params.x + token * params.x_token_stride + head * params.x_head_stride + 8 * lanes.lane,
                         params.vectors_fit != 0);
      position = slot_at(params.rotary.positions, params.rotary.positions_are_64_bit, token);
      if (params.weights_out != nullptr && lanes.lane == 0) {
        weight = params.weights[token * params.weights_token_stride + head];
      }
    }
    const bool has_position = is_in_table(params.rotary, position);
    if (exists && has_position) rotate(eight, params.rotary, position, lanes.lane);
    LaneFp4 made = quantise_twice(eight);
    std::uint32_t scales = scale_word(made.byte, lanes.lane);
    if (!exists) continue;
    if (!has_position) made.codes = scales = 0;
    simt::store_word(params.payload + row * kFp4PayloadBytes + 4 * lanes.lane, made.codes);
    if (lanes.lane != 0) continue;
    simt::store_word(params.scales + row, scales);
    if (!has_position) report(params.error_word, KEYSIEVE_ERROR_BAD_POSITION);
    if (params.weights_out != nullptr) {
      const float scaled = simt::multiply(float_from_bfloat16(weight), params.weight_scale);
      params.weights_out[row] = float_from_bfloat16(bfloat16_from_float(scaled));
    }
  }
}

}  // namespace keysieve

// Keys and queries of an FP4 indexer: 8 lanes a vector; the upper dims of each are rotated.
#pragma once

#include "cuda/operation/cache_copy.hpp"
#include "cuda/operation/fp4_quantise.hpp"
#include "helpers/fp4_indexer.hpp"

namespace keysieve {

KEYSIEVE_DEVICE bool is_in_table(const RotaryTable& rotary, std::int64_t position) {
  return position >= 0 && position < rotary.num_positions;
}

// Of a lane's upper dims: cosine and sine by turns.
struct Turns {
  float values[8];
};
KEYSIEVE_DEVICE Turns load_turns(const RotaryTable& rotary, std::int64_t position, int lane) {
  const float* freqs = rotary.freqs + position * kRotaryDims + 8 * lane;
  Turns turns;
  if (rotary.vectors_fit != 0) {
    KEYSIEVE_UNROLL
    for (int i = 0; i < 8; i += 4) {
      // Other heads, and other tokens of a key, read the same.
      const simt::Vector vector = simt::load_shared_input(freqs + i);
      KEYSIEVE_UNROLL
      for (int j = 0; j < 4; ++j) turns.values[i + j] = float_of(vector.words[j]);
    }
  } else {
    KEYSIEVE_UNROLL
    for (int i = 0; i < 8; ++i) turns.values[i] = freqs[i];
  }
  return turns;
}

KEYSIEVE_DEVICE void rotate(Eight& eight, const Turns& turns) {
  KEYSIEVE_UNROLL
  for (int i = 0; i < 4; ++i) {
    const float a = low_float(eight.pairs[i]), b = high_float(eight.pairs[i]);
    const float c = turns.values[2 * i], s = turns.values[2 * i + 1];
    eight.pairs[i] = simt::bfloat16_pair(simt::multiply_add(a, c, -simt::multiply(b, s)),
                                         simt::multiply_add(a, s, simt::multiply(b, c)));
  }
}

KEYSIEVE_DEVICE float sum_of_squares(const Eight& eight) {
  float sum = 0;
  KEYSIEVE_UNROLL
  for (int i = 0; i < 4; ++i) {
    const float low = low_float(eight.pairs[i]), high = high_float(eight.pairs[i]);
    sum = simt::add(sum, simt::multiply(low, low));
    sum = simt::add(sum, simt::multiply(high, high));
  }
  return sum;
}

KEYSIEVE_DEVICE void scale(Eight& eight, const Eight& weight, float factor) {
  KEYSIEVE_UNROLL
  for (int i = 0; i < 4; ++i) {
    const float low = simt::multiply(low_float(eight.pairs[i]), factor);
    const float high = simt::multiply(high_float(eight.pairs[i]), factor);
    eight.pairs[i] = simt::bfloat16_pair(simt::multiply(low_float(weight.pairs[i]), low),
                                         simt::multiply(high_float(weight.pairs[i]), high));
  }
}

// v = bf16( weight * (x * rsqrt(sum(x^2) / 128 + eps)) )
KEYSIEVE_DEVICE void normalise(Sixteen& sixteen, const Sixteen& weight, float eps) {
  // The tree's last pairs are the two halves.
  float lower = sum_of_squares(sixteen.lower), upper = sum_of_squares(sixteen.upper);
  KEYSIEVE_UNROLL
  for (int mask = 1; mask < 8; mask *= 2) {
    lower = simt::add(lower, simt::shuffle_xor(lower, mask));
    upper = simt::add(upper, simt::shuffle_xor(upper, mask));
  }
  const float root = simt::square_root(simt::add(simt::multiply(simt::add(lower, upper), 0.0078125f), eps));
  const float inverse = simt::divide(1.0f, root);
  scale(sixteen.lower, weight.lower, inverse);
  scale(sixteen.upper, weight.upper, inverse);
}

// For tiny groups, on the floor of the scale, and those with huge values, infinities or NaN.
KEYSIEVE_DEVICE LaneFp4 quantise_twice_by_value(const Eight& eight, std::uint32_t most) {
  const float sixth = simt::multiply(simt::max_number(float_of(most), 6 * 0x1p-126f), kOneSixth);
  const std::uint32_t byte = exponent_rounded_up(sixth);
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
KEYSIEVE_DEVICE LaneFp4Pair quantise_twice(const Sixteen& sixteen) {
  const std::uint32_t most = largest_of_groups(sixteen);
  // 0x39E0: the least that is above the floor of the pack scale, after it came back.
  if ((above_paired(most) | (~(most + 0x46204620u) & 0x80008000u)) != 0) {
    const LaneFp4 lower = quantise_twice_by_value(sixteen.lower, most << 16);
    const LaneFp4 upper = quantise_twice_by_value(sixteen.upper, most & 0xFFFF0000u);
    return {lower.codes, upper.codes, lower.byte | upper.byte << 16};
  }
  // A mantissa between 1.5 and 1.75 is between 3 and 3.5 on its scale and becomes 3: on half that scale the second
  // time, where all codes are those of twice the first time's values. There the first line rounds on the first scale
  // and counts double; the others count a code for every value of the first scale as they are.
  const std::uint32_t sixths = rounded_sixths(most), sixths_after = (most + 0x00200020u) & 0x7F807F80u;
  const std::uint32_t doubles = sixths - sixths_after;  // 0x80 or 0
  const std::uint32_t twice = inverses_of_sixths(sixths) + 0x00800080u;
  const std::uint32_t once = inverses_of_sixths(sixths_after);
  const std::uint32_t again = 0x3F803F80u + doubles;
  const std::uint32_t back = simt::multiply_add_bfloat(again, 0xC304C304u, 0x43044304u);  // 132 - 132 * again
  const CodeLines lines{twice, once, once - 0x00800080u, again, back};
  return {codes_on_lines<false, true>(sixteen.lower, lines), codes_on_lines<true, true>(sixteen.upper, lines),
          bytes_of_sixths(sixths_after)};
}

template <bool kVectorsFit>
KEYSIEVE_DEVICE void fp4_indexer_key_rows(const Fp4IndexerKeyParams& params) {
  const OctetLanes lanes = octet_lanes();
  for (std::int64_t row = lanes.row; warp_has_row(row, params.rows); row += lanes.step) {
    const std::int64_t existing = row < params.rows ? row : params.rows - 1;
    const std::int64_t position = slot_at(params.rotary.positions, params.rotary.positions_are_64_bit, existing);
    std::int64_t slot = slot_at(params.slots, params.slots_are_64_bit, existing);
    Sixteen sixteen = load_sixteen<kVectorsFit>(params.x + existing * params.x_row_stride + 8 * lanes.lane);
    if (row >= params.rows) slot = 0;
    const bool has_slot = slot > 0 && slot < params.cache.num_slots;
    const bool has_position = is_in_table(params.rotary, position);
    if (lanes.lane == 0 && slot > 0 && !(has_slot && has_position)) {
      report(params.error_word, has_slot ? KEYSIEVE_ERROR_BAD_POSITION : KEYSIEVE_ERROR_BAD_ID);
    }
    // On their way while the sum is made.
    Turns turns{};
    if (has_slot && has_position) turns = load_turns(params.rotary, position & ~(params.ratio - 1), lanes.lane);
    normalise(sixteen, load_sixteen<kVectorsFit>(params.weight + 8 * lanes.lane), params.eps);
    rotate(sixteen.upper, turns);
    const LaneFp4Pair made = quantise_twice(sixteen);
    const std::uint32_t scales = scale_word_of_two(made.bytes, lanes.lane);
    if (!has_slot || !has_position) continue;
    std::uint8_t* payload = params.cache.payload_of(slot) + 4 * lanes.lane;
    simt::store_word(payload, made.lower);
    simt::store_word(payload + 32, made.upper);
    if (lanes.lane == 0) simt::store_word(params.cache.scale_of(slot), scales);
  }
}

// The two ways to load are apart, as the other one's many loads would all be issued, predicated off.
KEYSIEVE_DEVICE void fp4_indexer_key(const Fp4IndexerKeyParams& params) {
  simt::wait_for_dependencies();
  if (params.vectors_fit != 0) {
    fp4_indexer_key_rows<true>(params);
  } else {
    fp4_indexer_key_rows<false>(params);
  }
}

// A warp takes kQueryHeads heads of one token, in two steps.
template <bool kVectorsFit>
KEYSIEVE_DEVICE void fp4_indexer_query_rows(const Fp4IndexerQueryParams& params) {
  const int lane = simt::thread_index() & 7;
  const int octet = simt::lane_index() >> 3;
  const int warps = simt::block_threads() >> 5;
  // All below 2^32, as rows are below 2^31.
  const auto step_of_parts = static_cast<std::uint32_t>(simt::num_blocks() * warps);
  for (auto part = static_cast<std::uint32_t>(simt::block_index() * warps + (simt::thread_index() >> 5));
       part < params.parts; part += step_of_parts) {
    const auto token = static_cast<std::uint32_t>(std::uint64_t{part} * params.token_factor >> params.token_shift);
    const auto first_head =
        static_cast<std::int32_t>(part - token * static_cast<std::uint32_t>(params.parts_of_token)) * kQueryHeads;
    const std::int64_t position = slot_at(params.rotary.positions, params.rotary.positions_are_64_bit, token);
    const std::int32_t heads = params.heads - first_head;  // from there on
    const std::uint16_t* x = params.x + token * params.x_token_stride + first_head * params.x_head_stride + 8 * lane;
    const auto load = [&](std::int32_t head) {
      return load_sixteen<kVectorsFit>(x + (head < heads ? head : heads - 1) * params.x_head_stride);
    };
    Sixteen sixteen = load(octet);
    const std::uint32_t first_row =
        token * static_cast<std::uint32_t>(params.heads) + static_cast<std::uint32_t>(first_head);
    const int weight_head = simt::lane_index();
    const bool has_weight = params.weights_out != nullptr && weight_head < kQueryHeads && weight_head < heads;
    std::uint16_t weight = 0;
    if (has_weight) weight = params.weights[token * params.weights_token_stride + first_head + weight_head];
    const bool has_position = is_in_table(params.rotary, position);
    Turns turns{};
    if (has_position) turns = load_turns(params.rotary, position, lane);
    // Not unrolled: the slow paths would take the registers of another warp.
    KEYSIEVE_NO_UNROLL
    for (std::int32_t first = 0; first < kQueryHeads && first < heads; first += 4) {
      const std::int32_t head = first + octet;
      rotate(sixteen.upper, turns);
      LaneFp4Pair made = quantise_twice(sixteen);
      std::uint32_t scales = scale_word_of_two(made.bytes, lane);
      if (first + 4 < kQueryHeads) sixteen = load(head + 4);
      if (head >= heads) continue;
      if (!has_position) made.lower = made.upper = scales = 0;
      const std::uint32_t row = first_row + static_cast<std::uint32_t>(head);
      std::uint8_t* payload = params.payload + std::uint64_t{row} * kFp4PayloadBytes + 4 * lane;
      simt::store_word(payload, made.lower);
      simt::store_word(payload + 32, made.upper);
      if (lane == 0) simt::store_word(params.scales + row, scales);
    }
    if (has_weight) {
      const float scaled = simt::multiply(float_from_bfloat16(weight), params.weight_scale);
      params.weights_out[first_row + static_cast<std::uint32_t>(weight_head)] =
          float_of(simt::bfloat16_pair(0.0f, scaled) & 0xFFFF0000u);
    }
    if (!has_position && simt::lane_index() == 0) report(params.error_word, KEYSIEVE_ERROR_BAD_POSITION);
  }
}

KEYSIEVE_DEVICE void fp4_indexer_query(const Fp4IndexerQueryParams& params) {
  simt::wait_for_dependencies();
  if (params.vectors_fit != 0) {
    fp4_indexer_query_rows<true>(params);
  } else {
    fp4_indexer_query_rows<false>(params);
  }
}

}  // namespace keysieve

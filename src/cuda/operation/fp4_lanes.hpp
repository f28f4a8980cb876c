// A vector of 128 BF16 on 8 lanes, so that a warp has four: a lane holds 8 adjacent dims of the lower half and the 8
// that are 64 above them. Four lanes then hold one group of 32 in either half, whose maxima share a word and its
// shuffles, and all lanes have the same share of the upper half, which is rotated. Vectors of FP32, and FP8, take 16
// lanes of 8 adjacent dims. And the FP4 codes of a lane's dims.
//
// Most of the instructions are for the pipe of integers, which takes two cycles for each; that of multiplications takes
// one. So codes are put together by multiplications where that is possible.
//
// Codes of e2m1 without comparisons: for a magnitude m of a value, already on its scale, the code is
//   min(2m, m + 2, m/2 + 4) rounded to a whole number, ties to even
// as each of the three lines counts codes in one range of m and lies above the others' counts elsewhere. Each is one
// fused multiply-add with a constant whose last bit is worth 1, which leaves the code in the low bits and rounds once.
// Ties to zero: m times a factor so little below 1 that a tie drops and no other value of the same precision crosses
// one.
#pragma once

#include "cuda/simt/numbers.hpp"
#include "helpers/key_cache.hpp"

namespace keysieve {

struct Eight {
  std::uint32_t pairs[4];  // BF16, the lower dim in the low half
};

struct Sixteen {
  Eight lower, upper;
};

// Magnitudes of 8 codes, a byte each, lower dims in lower bytes.
struct EightCodes {
  std::uint32_t words[2];
};

// Which vectors a lane works on. The halves of a warp step together, so that shuffles have all lanes.
struct VectorLanes {
  std::int64_t first;  // of this lane's warp, whose other half has the next one
  std::int64_t step;
  int half;
  int lane;  // 0..15
};
KEYSIEVE_DEVICE VectorLanes vector_lanes() {
  VectorLanes lanes;
  const int warps = simt::block_threads() / simt::kWarpLanes;
  lanes.first = (simt::block_index() * warps + simt::thread_index() / simt::kWarpLanes) * 2;
  lanes.step = simt::num_blocks() * warps * 2;
  lanes.half = simt::lane_index() >> 4;
  lanes.lane = simt::lane_index() & 15;
  return lanes;
}

// Which BF16 vectors a lane works on. The four of a warp step together, so that shuffles have all lanes.
struct OctetLanes {
  std::int64_t row;
  std::int64_t step;
  int lane;  // 0..7
};
KEYSIEVE_DEVICE OctetLanes octet_lanes() {
  const int of_block = simt::block_threads() >> 3;
  return {simt::block_index() * of_block + (simt::thread_index() >> 3), simt::num_blocks() * of_block,
          simt::thread_index() & 7};
}

// Whether any of the four exists, of which `row` is one.
KEYSIEVE_DEVICE bool warp_has_row(std::int64_t row, std::int64_t rows) { return (row & ~std::int64_t{3}) < rows; }

// Eight BF16 from any address.
KEYSIEVE_DEVICE Eight load_eight(const std::uint16_t* at, bool vectors_fit) {
  Eight eight;
  if (vectors_fit) {
    const simt::Vector vector = simt::load_streaming(at);
    KEYSIEVE_UNROLL
    for (int i = 0; i < 4; ++i) eight.pairs[i] = vector.words[i];
  } else {
    KEYSIEVE_UNROLL
    for (int i = 0; i < 4; ++i) eight.pairs[i] = at[2 * i] | static_cast<std::uint32_t>(at[2 * i + 1]) << 16;
  }
  return eight;
}

// `at` is the lane's first dim of the lower half.
template <bool kVectorsFit>
KEYSIEVE_DEVICE Sixteen load_sixteen(const std::uint16_t* at) {
  return {load_eight(at, kVectorsFit), load_eight(at + 64, kVectorsFit)};
}

KEYSIEVE_DEVICE void floats_of(const Eight& eight, float* values) {
  KEYSIEVE_UNROLL
  for (int i = 0; i < 4; ++i) {
    values[2 * i] = low_float(eight.pairs[i]);
    values[2 * i + 1] = high_float(eight.pairs[i]);
  }
}

// Magnitudes compare as their bits do, NaN above infinity; the largest over 4 lanes, a group, or 16, a vector.
template <int kLanes>
KEYSIEVE_DEVICE std::uint32_t largest_bits(std::uint32_t bits) {
  KEYSIEVE_UNROLL
  for (int mask = 1; mask < kLanes; mask *= 2) {
    const std::uint32_t other = simt::shuffle_xor(bits, mask);
    bits = other > bits ? other : bits;
  }
  return bits;
}
// The largest of the magnitudes at even dims, and of those at odd ones.
KEYSIEVE_DEVICE std::uint32_t largest_pair_of(const Eight& eight) {
  std::uint32_t most = eight.pairs[0] & 0x7FFF7FFFu;
  KEYSIEVE_UNROLL
  for (int i = 1; i < 4; ++i) most = simt::max_or_nan_bfloat(most, eight.pairs[i] & 0x7FFF7FFFu);
  return most;
}
// FP32 bits of a lane's largest magnitude.
KEYSIEVE_DEVICE std::uint32_t largest_bits_of(const Eight& eight) {
  const std::uint32_t most = largest_pair_of(eight);
  return simt::max_or_nan_bfloat(most, most >> 16) << 16;
}
// Largest magnitudes of a lane's two groups, BF16, that of the lower half in the low one.
KEYSIEVE_DEVICE std::uint32_t largest_of_groups(const Sixteen& sixteen) {
  const std::uint32_t lower = largest_pair_of(sixteen.lower), upper = largest_pair_of(sixteen.upper);
  std::uint32_t most =
      simt::max_or_nan_bfloat(simt::pick_bytes(lower, upper, 0x5410), simt::pick_bytes(lower, upper, 0x7632));
  most = simt::max_or_nan_bfloat(most, simt::shuffle_xor(most, 1));
  return simt::max_or_nan_bfloat(most, simt::shuffle_xor(most, 2));
}
KEYSIEVE_DEVICE std::uint32_t largest_bits_of(const float* values) {
  std::uint32_t most = 0;
  KEYSIEVE_UNROLL
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t bits = bits_of(values[i]) & 0x7FFFFFFFu;
    most = bits > most ? bits : most;
  }
  return most;
}
KEYSIEVE_DEVICE bool is_finite(std::uint32_t magnitude_bits) { return magnitude_bits < 0x7F800000u; }

// Code of `magnitude` times `inverse`, a power of two or a little less; infinity and NaN: 7.
KEYSIEVE_DEVICE std::uint32_t e2m1_code(float magnitude, float inverse) {
  const float twice = simt::multiply_add(magnitude, simt::add(inverse, inverse), 8388608.0f);
  const float plus_two = simt::multiply_add(magnitude, inverse, 8388610.0f);
  const float plus_four = simt::multiply_add(magnitude, simt::multiply(inverse, 0.5f), 8388612.0f);
  const float least = simt::min_number(simt::min_number(twice, plus_two), simt::min_number(plus_four, 8388615.0f));
  return bits_of(least) & 7u;
}

// Above this a BF16 cannot hold what the other path multiplies with.
inline constexpr std::uint32_t kMostPairedByte = 249;

// (byte + 2) << 7 of 2^(byte - 127), the power of two at or above a sixth of the largest magnitude, for two BF16: one
// of mantissa up to 1.5 has the same sixth, rounded up, as its power of two, a fourth.
KEYSIEVE_DEVICE std::uint32_t rounded_sixths(std::uint32_t most) { return (most + 0x003F003Fu) & 0x7F807F80u; }
// Whether either half of `most` takes a byte above kMostPairedByte, or is no number.
KEYSIEVE_DEVICE std::uint32_t above_paired(std::uint32_t most) { return (most + 0x023F023Fu) & 0x80008000u; }
// Two bytes from two of the above, in the low byte of each half; and 2^(127 - byte), BF16.
KEYSIEVE_DEVICE std::uint32_t bytes_of_sixths(std::uint32_t sixths) { return (sixths >> 7) - 0x00020002u; }
KEYSIEVE_DEVICE std::uint32_t inverses_of_sixths(std::uint32_t sixths) { return 0x80008000u - sixths; }

// What the BF16 of a lane's two groups are multiplied with for each of the three lines, the lower group's in the low
// half of a word; and what the first line's result is then: times `again`, 1 or 2, plus `back`, which leaves 132 where
// it is.
struct CodeLines {
  std::uint32_t twice, once, half;
  std::uint32_t again, back;
};
template <bool kUpper>
KEYSIEVE_DEVICE std::uint32_t of_group(std::uint32_t word) {
  return kUpper ? simt::high_half_twice(word) : simt::low_half_twice(word);
}

// A lane's 8 codes with their signs, lower dims in lower nibbles. All values are finite and at most 6 on the scale.
template <bool kUpper, bool kTwice>
KEYSIEVE_DEVICE std::uint32_t codes_on_lines(const Eight& eight, const CodeLines& lines) {
  std::uint32_t codes[4];  // 128 + code in BF16: 0x4300 + code
  KEYSIEVE_UNROLL
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t magnitudes = eight.pairs[i] & 0x7FFF7FFFu;
    // From 132, as the sign then comes in by one addition: -4, or +4, which sets bit 3.
    std::uint32_t first = simt::multiply_add_bfloat(magnitudes, of_group<kUpper>(lines.twice), 0x43044304u);
    if constexpr (kTwice) {
      first = simt::multiply_add_bfloat(first, of_group<kUpper>(lines.again), of_group<kUpper>(lines.back));
    }
    const std::uint32_t second = simt::multiply_add_bfloat(magnitudes, of_group<kUpper>(lines.once), 0x43064306u);
    const std::uint32_t third = simt::multiply_add_bfloat(magnitudes, of_group<kUpper>(lines.half), 0x43084308u);
    const std::uint32_t least = simt::min_numbers_bfloat(simt::min_numbers_bfloat(first, second), third);
    const std::uint32_t signed_4 = simt::xor_then_or(eight.pairs[i], magnitudes, 0x40804080u);
    codes[i] = simt::multiply_add_bfloat(signed_4, 0xBF80BF80u, least);
  }
  const std::uint32_t low = codes[1] * 256u + codes[0], high = codes[3] * 256u + codes[2];
  const std::uint32_t even = simt::pick_bytes(low, high, 0x5410), odd = simt::pick_bytes(low, high, 0x7632);
  const std::uint32_t word = odd * 16u + even - 0x77347730u;  // what the exponents of all the codes come to
  // Code 0 takes no sign.
  const std::uint32_t not_zero = (word & 0x77777777u) + 0x77777777u;
  return word & (not_zero | 0x77777777u);
}

// Magnitudes of the codes of any FP32 on the scale 2^(byte - 127), from 114 up. Infinities and NaN: 7.
KEYSIEVE_DEVICE EightCodes single_codes(const float* values, std::uint32_t byte, bool ties_to_zero) {
  // Both factors moved by 2^64: what multiplies stays a normal number for every byte, and what becomes subnormal of the
  // values rounds to code 0 all the same.
  const float inverse = float_of(((318u - byte) << 23) - (ties_to_zero ? 1u : 0u));
  EightCodes codes{};
  KEYSIEVE_UNROLL
  for (int i = 0; i < 8; ++i) {
    const float magnitude = simt::multiply(float_of(bits_of(values[i]) & 0x7FFFFFFFu), 0x1p-64f);
    codes.words[i / 4] |= e2m1_code(magnitude, inverse) << (8 * (i % 4));
  }
  return codes;
}

// Sign bits of 4 values as bit 7 of 4 bytes.
KEYSIEVE_DEVICE std::uint32_t signs_of(std::uint32_t low_pair, std::uint32_t high_pair) {
  return simt::pick_bytes(low_pair, high_pair, 0x7531);
}
KEYSIEVE_DEVICE std::uint32_t signs_of(const float* values) {
  const std::uint32_t low = simt::pick_bytes(bits_of(values[0]), bits_of(values[1]), 0x0073);
  return simt::pick_bytes(low, simt::pick_bytes(bits_of(values[2]), bits_of(values[3]), 0x0073), 0x5410);
}

// Nibbles of 4 codes in bytes 0 and 2; code 0 takes no sign.
KEYSIEVE_DEVICE std::uint32_t signed_nibbles(std::uint32_t codes, std::uint32_t signs) {
  const std::uint32_t not_zero = codes + 0x07070707u;  // bit 3 of each byte
  codes |= not_zero & (signs >> 4) & 0x08080808u;
  return codes | codes >> 4;
}
KEYSIEVE_DEVICE std::uint32_t packed_word(const EightCodes& codes, std::uint32_t low_signs, std::uint32_t high_signs) {
  return simt::pick_bytes(signed_nibbles(codes.words[0], low_signs), signed_nibbles(codes.words[1], high_signs),
                          0x6420);
}

// The word of a vector's four scale bytes, in all its lanes: from the two bytes of a lane of 8, in the low byte of each
// half; from the one byte of a lane of 16.
KEYSIEVE_DEVICE std::uint32_t scale_word_of_two(std::uint32_t bytes, int lane) {
  const std::uint32_t word = bytes << (2 * (lane & 4));
  return word | simt::shuffle_xor(word, 4);
}
KEYSIEVE_DEVICE std::uint32_t scale_word(std::uint32_t byte, int lane) {
  std::uint32_t word = byte << (8 * (lane >> 2));
  word |= simt::shuffle_xor(word, 4);
  word |= simt::shuffle_xor(word, 8);
  return word;
}

// Byte of the pack scale for a finite amax / 6.
KEYSIEVE_DEVICE std::uint32_t pack_byte(float sixth) { return exponent_rounded_up(simt::max_number(sixth, 1e-4f)); }
inline constexpr float kOneSixth = 1.0f / 6.0f;

}  // namespace keysieve

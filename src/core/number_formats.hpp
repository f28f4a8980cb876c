// Narrow number formats, bit by bit, on host and device alike: bfloat16, e4m3, e2m1, UE8M0 powers of two.
#pragma once

#include <bit>
#include <cstdint>

#include "core/host_device.hpp"

namespace keysieve {

KEYSIEVE_HOST_DEVICE inline std::uint32_t bits_of(float value) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(value);
#else
  return std::bit_cast<std::uint32_t>(value);
#endif
}
KEYSIEVE_HOST_DEVICE inline float float_of(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}

KEYSIEVE_HOST_DEVICE inline float float_from_bfloat16(std::uint16_t bits) {
  return float_of(std::uint32_t{bits} << 16);
}
// The two BF16 of a word.
KEYSIEVE_HOST_DEVICE inline float low_float(std::uint32_t pair) { return float_of(pair << 16); }
KEYSIEVE_HOST_DEVICE inline float high_float(std::uint32_t pair) { return float_of(pair & 0xFFFF0000u); }

// Exact.
KEYSIEVE_HOST_DEVICE inline float float_from_half_bits(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7FFFu;
  if (magnitude >= 0x7C00u) return float_of(sign | 0x7F800000u | (magnitude & 0x3FFu) << 13);
  if (magnitude >= 0x0400u) return float_of(sign | ((magnitude << 13) + ((127u - 15u) << 23)));
  // Subnormal: a whole number of 2^-24.
  return float_of(bits_of(static_cast<float>(magnitude) * 5.9604644775390625e-8f) | sign);
}

// To nearest, ties to even; NaN becomes the quiet NaN 0x7FFF, as the GPU's conversion has it.
KEYSIEVE_HOST_DEVICE inline std::uint16_t bfloat16_from_float(float value) {
  const std::uint32_t bits = bits_of(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return 0x7FFF;
  return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

// e4m3: bias 7, no infinity, 0x7F and 0xFF are NaN.
KEYSIEVE_HOST_DEVICE inline float float_from_e4m3(std::uint8_t bits) {
  const std::uint32_t sign = (bits & 0x80u) << 24, exponent = (bits >> 3) & 15u, mantissa = bits & 7u;
  if ((bits & 0x7Fu) == 0x7Fu) return float_of(0x7FFFFFFFu);
  if (exponent == 0) {  // a multiple of 2^-9
    return float_of(bits_of(static_cast<float>(mantissa) * 0.001953125f) | sign);
  }
  return float_of(sign | ((exponent + 120u) << 23) | (mantissa << 20));
}

// To nearest, ties to even; past +-448: +-448. NaN becomes 0x7F, as the GPU's saturating conversion has it.
KEYSIEVE_HOST_DEVICE inline std::uint8_t e4m3_from_float(float value) {
  const std::uint32_t bits = bits_of(value), magnitude = bits & 0x7FFFFFFFu, sign = (bits >> 24) & 0x80u;
  if (magnitude > 0x7F800000u) return 0x7F;
  if (magnitude >= 0x43E00000u) return static_cast<std::uint8_t>(sign | 0x7Eu);
  // Below 2^-6 codes count multiples of 2^-9, the last bit of 2^14 + value.
  if (magnitude < 0x3C800000u) {
    return static_cast<std::uint8_t>(sign | (bits_of(float_of(magnitude) + 16384.0f) - 0x46800000u));
  }
  // Neighbours are consecutive codes, so a carry into the exponent comes out right.
  const std::uint32_t rounded = magnitude + 0x7FFFFu + ((magnitude >> 20) & 1u);
  return static_cast<std::uint8_t>(sign | ((rounded >> 20) - (120u << 3)));
}

// FP16 of an e4m3, exact: e4m3's range lies inside.
KEYSIEVE_HOST_DEVICE inline std::uint32_t half_from_e4m3(std::uint32_t bits) {
  const std::uint32_t sign = (bits & 0x80u) << 8, exponent = (bits >> 3) & 15u, mantissa = bits & 7u;
  if ((bits & 0x7Fu) == 0x7Fu) return 0x7FFFu;
  if (exponent != 0) return sign | ((exponent + 8u) << 10) | (mantissa << 7);
  if (mantissa == 0) return sign;
  // mantissa * 2^-9 is normal in FP16.
  const std::uint32_t top = mantissa >= 4 ? 2u : mantissa >= 2 ? 1u : 0u;
  return sign | ((top + 6u) << 10) | (((mantissa << (10 - top)) & 0x3FFu));
}
KEYSIEVE_HOST_DEVICE inline std::uint32_t half_pair_from_e4m3_bits(std::uint32_t pair) {
  return half_from_e4m3(pair & 0xFFu) | half_from_e4m3((pair >> 8) & 0xFFu) << 16;
}

// 2^(e - 127); 255 is NaN. e = 0 is the subnormal 2^-127, not zero.
KEYSIEVE_HOST_DEVICE inline float float_from_ue8m0(std::uint8_t e) {
  if (e == 255) return float_of(0x7FFFFFFFu);
  return float_of(e == 0 ? 0x00400000u : static_cast<std::uint32_t>(e) << 23);
}

// Exponent field of the least power of two at or above `value`, a positive number: a mantissa rounds it up.
KEYSIEVE_HOST_DEVICE inline std::uint32_t exponent_rounded_up(float value) {
  return (bits_of(value) + 0x7FFFFFu) >> 23;
}

// 2^exponent, a normal number.
KEYSIEVE_HOST_DEVICE inline float power_of_two(std::int32_t exponent) {
  return float_of(static_cast<std::uint32_t>(exponent + 127) << 23);
}

// Magnitude of an e2m1, code 0..7: 0, 0.5, 1, 1.5, 2, 3, 4, 6.
KEYSIEVE_HOST_DEVICE inline float float_from_e2m1(std::uint32_t code) {
  const std::uint32_t exponent = code >> 1, mantissa = code & 1u;
  if (exponent == 0) return mantissa != 0 ? 0.5f : 0.0f;
  return float_of(((exponent + 126u) << 23) | (mantissa << 22));
}

// Code 0..7 of the e2m1 nearest to `magnitude`, 7 past the largest and for NaN. Ties go to the even code, or, where
// `ties_to_zero`, to the smaller one.
KEYSIEVE_HOST_DEVICE inline std::uint32_t e2m1_from_float(float magnitude, bool ties_to_zero) {
  // Midpoints below an odd code belong to the even code under it, those below an even code to that code.
  const auto above = [&](float midpoint) { return magnitude > midpoint ? 1u : 0u; };
  const auto from = [&](float midpoint) {
    return (ties_to_zero ? magnitude > midpoint : magnitude >= midpoint) ? 1u : 0u;
  };
  if (!(magnitude < 6.0f)) return 7;
  return above(0.25f) + from(0.75f) + above(1.25f) + from(1.75f) + above(2.5f) + from(3.5f) + above(5.0f);
}

}  // namespace keysieve

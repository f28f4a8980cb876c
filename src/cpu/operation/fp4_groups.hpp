// FP4 groups of 32 on the CPU (the formulas are in indexer_keys.h).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/number_formats.hpp"

namespace keysieve::cpu {

// The largest magnitude; infinity where the group holds one or NaN.
inline float largest_magnitude(const float* values, int count) {
  std::uint32_t most = 0;  // of non-negative floats the bits compare as the numbers do, NaN above all
  for (int i = 0; i < count; ++i) {
    const std::uint32_t bits = bits_of(values[i]) & 0x7FFFFFFFu;
    most = bits > most ? bits : most;
  }
  return float_of(most > 0x7F800000u ? 0x7F800000u : most);
}

// The pack scale's byte.
inline std::uint32_t fp4_byte(float most) {
  if (std::isinf(most)) return 254;
  const float scale = most / 6.0f;
  return exponent_rounded_up(scale > 1e-4f ? scale : 1e-4f);
}

// 16 bytes and the byte of their scale.
inline std::uint32_t pack_fp4_group(const float* values, bool ties_to_zero, std::uint8_t* payload) {
  const std::uint32_t byte = fp4_byte(largest_magnitude(values, 32));
  // 2^(127 - byte): byte 254 makes it subnormal, which loses nothing.
  const float inverse = byte == 254 ? 0x1p-127f : power_of_two(127 - static_cast<std::int32_t>(byte));
  for (int i = 0; i < 32; i += 2) {
    std::uint32_t pair = 0;
    for (int j = 0; j < 2; ++j) {
      const float value = values[i + j];
      const std::uint32_t code = e2m1_from_float(std::fabs(value * inverse), ties_to_zero);
      const std::uint32_t sign = code != 0 && std::signbit(value) ? 8u : 0u;
      pair |= (code | sign) << (4 * j);
    }
    payload[i / 2] = static_cast<std::uint8_t>(pair);
  }
  return byte;
}

// Quantised and back.
inline void fake_quantise_group(float* values) {
  const float most = largest_magnitude(values, 32);
  if (std::isinf(most)) return;
  constexpr float kLeast = 6 * 0x1p-126f;
  const std::uint32_t byte = exponent_rounded_up((most > kLeast ? most : kLeast) * (1.0f / 6.0f));
  const float scale = power_of_two(static_cast<std::int32_t>(byte) - 127);
  const float inverse = power_of_two(127 - static_cast<std::int32_t>(byte));
  for (int i = 0; i < 32; ++i) {
    values[i] =
        std::copysign(float_from_e2m1(e2m1_from_float(std::fabs(values[i] * inverse), false)) * scale, values[i]);
  }
}

}  // namespace keysieve::cpu

// Values of keys that decide something: bits of BF16 and FP32.
#pragma once

#include <cstdint>
#include <cstring>

#include "cases/random.hpp"
#include "keysieve/kernels.h"

namespace keysieve::cases {

// Any bits a tenth of the time, NaN and infinities among them where `any_bits`; else numbers about 2^exponent, on the
// points and midpoints of e2m1 half of the time.
inline std::uint16_t key_bfloat16(Random& random, int exponent, bool any_bits) {
  if (any_bits && random.chance(2)) return static_cast<std::uint16_t>(random.next());
  const auto sign = static_cast<std::uint16_t>(random.between(0, 1) << 15);
  if (random.chance(5)) return sign;                                                        // zeros
  if (random.chance(5)) return static_cast<std::uint16_t>(sign | random.between(1, 0x7F));  // subnormal
  std::int64_t field = 127 + exponent + random.between(-4, 2);
  field = field < 0 ? 0 : field > 254 ? 254 : field;
  const std::int64_t mantissa = random.chance(50) ? random.between(0, 7) * 16 : random.between(0, 127);
  return static_cast<std::uint16_t>(sign | field << 7 | mantissa);
}

// A float that a BF16 is the upper half of: with zeros below, or beside it, or anything.
inline float key_float(Random& random, int exponent, bool any_bits) {
  const std::uint32_t low =
      random.one_of({0u, 0u, 1u, 0xFFFFu, 0x8000u, static_cast<std::uint32_t>(random.next() & 0xFFFF)});
  const std::uint32_t bits = std::uint32_t{key_bfloat16(random, exponent, any_bits)} << 16 | low;
  float value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Integers of either width into a tensor.
inline void set_integer(const keysieve_tensor& tensor, std::int64_t n, std::int64_t value) {
  if (tensor.element == KEYSIEVE_ELEMENT_INT64) {
    static_cast<std::int64_t*>(tensor.data)[n] = value;
  } else {
    static_cast<std::int32_t*>(tensor.data)[n] = static_cast<std::int32_t>(value);
  }
}

}  // namespace keysieve::cases

// MXFP8: a UE8M0 scale byte for every 32 values, and where the bytes lie for block-scaled matrix products.
#pragma once

#include <cstdint>

#include "core/number_formats.hpp"

namespace keysieve {

inline constexpr std::int32_t kMxfp8Group = 32;
inline constexpr std::int32_t kMxfp8TileRows = 128;
inline constexpr std::int32_t kMxfp8TileBytes = 512;  // 128 rows of 4 groups

// The 4 bytes of 4 groups are adjacent: a word. Bytes of groups that do not exist fill up the last one.
KEYSIEVE_HOST_DEVICE constexpr std::int64_t mxfp8_scale_words(std::int64_t columns) {
  return (columns + 4 * kMxfp8Group - 1) / (4 * kMxfp8Group);
}
KEYSIEVE_HOST_DEVICE constexpr std::int64_t mxfp8_scale_bytes(std::int64_t rows, std::int64_t columns) {
  return (rows + kMxfp8TileRows - 1) / kMxfp8TileRows * mxfp8_scale_words(columns) * kMxfp8TileBytes;
}
// Where word `word` of `row` begins. A tile is 32 slots of 16 bytes; rows r, r + 32, r + 64 and r + 96 share a slot.
KEYSIEVE_HOST_DEVICE constexpr std::int64_t mxfp8_scale_word_offset(std::int64_t row, std::int64_t word,
                                                                    std::int64_t words) {
  // A GPU divides a signed number by a power of two in several steps.
  const auto r = static_cast<std::uint64_t>(row);
  return (static_cast<std::int64_t>(r / kMxfp8TileRows) * words + word) * kMxfp8TileBytes +
         static_cast<std::int64_t>(r % 32 * 16 + r % kMxfp8TileRows / 32 * 4);
}

// `largest`: bits of the largest BF16 magnitude of the group. An infinity or a NaN among them: 254.
KEYSIEVE_HOST_DEVICE inline std::uint32_t mxfp8_scale_byte(std::uint32_t largest) {
  if (largest >= 0x7F80u) return 254;
  const std::uint32_t bits = bits_of(float_of(largest << 16) * (1.0f / 448.0f));
  const std::uint32_t exponent = bits >> 23, mantissa = bits & 0x7FFFFFu;
  // 2^-127, which byte 0 stands for, is the subnormal with mantissa 0x400000.
  const bool goes_up = mantissa > (exponent == 0 ? 0x400000u : 0u);
  const std::uint32_t byte = exponent + (goes_up ? 1u : 0u);
  return byte < 254 ? byte : 254;
}

// 2^(127 - byte); for byte 0 zero, as its group becomes zeros.
KEYSIEVE_HOST_DEVICE inline float mxfp8_multiplier(std::uint32_t byte) {
  return float_of(byte == 0 ? 0 : (254 - byte) << 23);
}

}  // namespace keysieve

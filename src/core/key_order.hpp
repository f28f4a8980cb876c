// The total order of scores: an unsigned 32-bit key per score, larger is better.
//
//   0            lane that pads a row: below everything
//   1            NaN, any sign and payload, under NanPolicy::kLowest
//   ...          -inf .. -0 == +0 .. +inf, in order
//   0xFFFFFFFE   NaN under NanPolicy::kHighest
//   0xFFFFFFFF   forced element: above everything
//
// 16-bit scores use the same scheme on their own bits, shifted up by 16, so that the order of two scores of
// one type never depends on a conversion (nor on the flush-to-zero mode of the thread: everything here is
// integer arithmetic). Keys of different score types are not comparable.
//
// No host headers beyond <cstdint>: device code includes this file too.
#pragma once

#include <cstdint>

#include "core/host_device.hpp"

namespace keysieve {

using Key = std::uint32_t;

inline constexpr Key kKeyPadding = 0u;
inline constexpr Key kKeyNanLowest = 1u;
inline constexpr Key kKeyNanHighest = 0xFFFFFFFEu;
inline constexpr Key kKeyForced = 0xFFFFFFFFu;

// Bit layouts of the score types.
struct Float32Bits {
  using Bits = std::uint32_t;
  static constexpr int kWidth = 32;
  static constexpr Bits kSignMask = 0x80000000u;
  static constexpr Bits kInfinity = 0x7F800000u;
};
struct BFloat16Bits {
  using Bits = std::uint16_t;
  static constexpr int kWidth = 16;
  static constexpr Bits kSignMask = 0x8000u;
  static constexpr Bits kInfinity = 0x7F80u;
};
struct Float16Bits {
  using Bits = std::uint16_t;
  static constexpr int kWidth = 16;
  static constexpr Bits kSignMask = 0x8000u;
  static constexpr Bits kInfinity = 0x7C00u;
};

template <typename Format>
KEYSIEVE_HOST_DEVICE constexpr bool is_nan(typename Format::Bits bits) {
  constexpr typename Format::Bits kMagnitude = static_cast<typename Format::Bits>(~Format::kSignMask);
  return (bits & kMagnitude) > Format::kInfinity;
}

// Key of a score that is not NaN.
template <typename Format>
KEYSIEVE_HOST_DEVICE constexpr Key number_key(typename Format::Bits bits) {
  constexpr Key kSign = Format::kSignMask;
  constexpr Key kAll = (kSign << 1) - 1;  // all bits of the format; for 32 bits the shift drops the sign out
  Key raw = bits;
  if (raw == kSign) raw = 0;  // -0 is +0
  const Key ordered = (raw & kSign) ? (~raw & kAll) : (raw | kSign);
  return ordered << (32 - Format::kWidth);
}

template <typename Format>
KEYSIEVE_HOST_DEVICE constexpr Key ordered_key(typename Format::Bits bits, Key nan_key) {
  return is_nan<Format>(bits) ? nan_key : number_key<Format>(bits);
}

template <typename Format>
inline constexpr Key kKeyNegativeInfinity = number_key<Format>(static_cast<typename Format::Bits>(Format::kSignMask |
                                                                                                  Format::kInfinity));

}  // namespace keysieve

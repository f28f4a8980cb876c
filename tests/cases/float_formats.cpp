#include "cases/float_formats.hpp"

namespace keysieve::cases {
namespace {

constexpr std::uint32_t kFloatMagnitude = 0x7FFFFFFFu;
constexpr std::uint32_t kFloatInfinity = 0x7F800000u;

// bits >> shift, rounded to nearest even. shift in 1..31.
constexpr std::uint32_t shift_round_even(std::uint32_t bits, int shift) {
  const std::uint32_t half = 1u << (shift - 1);
  const std::uint32_t odd = (bits >> shift) & 1u;
  return static_cast<std::uint32_t>((std::uint64_t{bits} + half - 1u + odd) >> shift);
}

}  // namespace

std::uint16_t bfloat16_from_float(std::uint32_t bits) {
  if ((bits & kFloatMagnitude) > kFloatInfinity) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>(shift_round_even(bits, 16));
}

std::uint16_t float16_from_float(std::uint32_t bits) {
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & kFloatMagnitude;
  if (magnitude > kFloatInfinity) {
    return static_cast<std::uint16_t>(sign | 0x7E00u | ((magnitude >> 13) & 0x1FFu));
  }
  constexpr std::uint32_t kOverflow = 0x477FF000u;        // 65520: from here on the nearest half is infinity
  constexpr std::uint32_t kSmallestNormal = 0x38800000u;  // 2^-14
  if (magnitude >= kOverflow) return static_cast<std::uint16_t>(sign | 0x7C00u);
  if (magnitude >= kSmallestNormal) {
    constexpr std::uint32_t kRebias = (127u - 15u) << 23;
    return static_cast<std::uint16_t>(sign | shift_round_even(magnitude - kRebias, 13));
  }
  const int exponent = static_cast<int>(magnitude >> 23);
  const int shift = 126 - exponent;  // the significand in units of 2^-24
  if (shift > 25) return sign;       // below 2^-26 and subnormal FP32: rounds to zero
  const std::uint32_t significand = (magnitude & 0x7FFFFFu) | 0x800000u;
  return static_cast<std::uint16_t>(sign | shift_round_even(significand, shift));
}

std::uint32_t float_from_bfloat16(std::uint16_t bits) { return static_cast<std::uint32_t>(bits) << 16; }

std::uint32_t float_from_float16(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1Fu;
  std::uint32_t mantissa = bits & 0x3FFu;
  if (exponent == 0x1F) return sign | kFloatInfinity | (mantissa << 13);
  if (exponent != 0) return sign | ((exponent + 112u) << 23) | (mantissa << 13);
  if (mantissa == 0) return sign;
  std::uint32_t normalised = 113;  // FP32 exponent of 2^-14
  while ((mantissa & 0x400u) == 0) {
    mantissa <<= 1;
    --normalised;
  }
  return sign | (normalised << 23) | ((mantissa & 0x3FFu) << 13);
}

}  // namespace keysieve::cases

#include "reference/number_reference.hpp"

#include <cmath>
#include <limits>

namespace keysieve::reference {

double value_of_bfloat16(std::uint16_t bits) {
  const int exponent = (bits >> 7) & 0xFF, mantissa = bits & 0x7F;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0xFF) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, -126 - 7);
  return sign * std::ldexp(128 + mantissa, exponent - 127 - 7);
}

double value_of_e4m3(std::uint8_t bits) {
  const int exponent = (bits >> 3) & 15, mantissa = bits & 7;
  const double sign = (bits & 0x80) != 0 ? -1.0 : 1.0;
  if (exponent == 15 && mantissa == 7) return std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(mantissa, -6 - 3);
  return sign * std::ldexp(8 + mantissa, exponent - 7 - 3);
}

std::uint16_t nearest_bfloat16(double value) {
  if (std::isnan(value)) return 0x7FFF;
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  if (std::isinf(magnitude)) return static_cast<std::uint16_t>(sign | 0x7F80);
  int exponent = 0;
  std::frexp(magnitude, &exponent);                                  // magnitude in [2^(exponent-1), 2^exponent)
  const int step = (exponent - 1 < -126 ? -126 : exponent - 1) - 7;  // log2 of the distance between neighbours
  // nearbyint rounds ties to even, and the quotient is exact.
  const double steps = std::nearbyint(std::ldexp(magnitude, -step));
  // Neighbours are consecutive codes, so a carry into the exponent comes out right.
  const auto code = static_cast<std::int64_t>(steps) + (std::int64_t{step} + 133) * 128;
  return static_cast<std::uint16_t>(sign | (code > 0x7F80 ? 0x7F80 : code));
}

std::uint8_t nearest_e4m3(double value) {
  if (std::isnan(value)) return 0x7F;
  const int sign = std::signbit(value) ? 0x80 : 0;
  const double magnitude = std::fabs(value);
  if (magnitude >= 448) return static_cast<std::uint8_t>(sign | 0x7E);
  if (magnitude == 0) return static_cast<std::uint8_t>(sign);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int step = (exponent - 1 < -6 ? -6 : exponent - 1) - 3;  // log2 of the distance between neighbours
  const auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, -step)));
  return static_cast<std::uint8_t>(sign | (steps + (step + 9) * 8));
}

double value_of_e2m1(int code) {
  constexpr double kValues[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  return kValues[code];
}

int nearest_e2m1(double magnitude, bool ties_to_zero) {
  if (std::isnan(magnitude) || magnitude >= 6) return 7;
  int best = 0;
  for (int code = 1; code < 8; ++code) {
    const double closer = std::fabs(magnitude - value_of_e2m1(best)) - std::fabs(magnitude - value_of_e2m1(code));
    if (closer > 0 || (closer == 0 && !ties_to_zero && code % 2 == 0)) best = code;
  }
  return best;
}

int exponent_at_or_above(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // value = fraction * 2^exponent, fraction in [0.5, 1)
  return fraction == 0.5 ? exponent - 1 : exponent;
}

}  // namespace keysieve::reference

// Narrow number formats by their definitions, on double: what core/number_formats.hpp is held against.
#pragma once

#include <cstdint>

namespace keysieve::reference {

double value_of_bfloat16(std::uint16_t bits);
double value_of_e4m3(std::uint8_t bits);

// The nearest BF16, ties to the even one; past the largest finite one by half a step: infinity. NaN: 0x7FFF.
std::uint16_t nearest_bfloat16(double value);

// The nearest e4m3, ties to the even one; past +-448: +-448. NaN: 0x7F.
std::uint8_t nearest_e4m3(double value);

// 0, 0.5, 1, 1.5, 2, 3, 4, 6 for the codes 0..7.
double value_of_e2m1(int code);
// Code of the e2m1 nearest to a magnitude; 6 and more, infinity and NaN: 7. Ties: to the even code, or towards zero.
int nearest_e2m1(double magnitude, bool ties_to_zero);

// The least e with 2^e >= value > 0.
int exponent_at_or_above(double value);

}  // namespace keysieve::reference

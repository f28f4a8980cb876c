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

}  // namespace keysieve::reference

// Bit conversions between FP32 and the 16-bit score types. Integer arithmetic only, so that the test data does
// not depend on the rounding or flush-to-zero mode of the thread that makes it.
#pragma once

#include <cstdint>

namespace keysieve::cases {

// Round to nearest even. NaN keeps its sign and the top of its payload and stays NaN.
std::uint16_t bfloat16_from_float(std::uint32_t bits);
std::uint16_t float16_from_float(std::uint32_t bits);

// Exact.
std::uint32_t float_from_bfloat16(std::uint16_t bits);
std::uint32_t float_from_float16(std::uint16_t bits);

}  // namespace keysieve::cases

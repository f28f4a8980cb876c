// MXFP8 by its definition, on real numbers: what core/mxfp8.hpp is held against.
#pragma once

#include <cstdint>

namespace keysieve::reference {

// Codes and scales, 32 columns a group, of `rows` rows of BF16 values; every byte of the scales.
void quantize_mxfp8(const std::uint16_t* values, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                    std::uint8_t* codes, std::int64_t codes_row_stride, std::uint8_t* scales);

}  // namespace keysieve::reference

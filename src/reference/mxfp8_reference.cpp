#include "reference/mxfp8_reference.hpp"

#include <algorithm>
#include <cmath>

#include "reference/number_reference.hpp"

namespace keysieve::reference {
namespace {

// The least b with 448 * 2^(b - 127) >= `largest`: 448 is the largest e4m3.
int scale_byte(double largest) {
  if (largest == 0) return 0;
  int byte = std::max(std::ilogb(largest) - 9 + 127, 0);  // 448 < 2^9: not too high
  while (byte < 254 && std::ldexp(448.0, byte - 127) < largest) ++byte;
  return byte;
}

}  // namespace

void quantize_mxfp8(const std::uint16_t* values, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                    std::uint8_t* codes, std::int64_t codes_row_stride, std::uint8_t* scales) {
  const std::int64_t groups = columns / 32, tiles = (groups + 3) / 4;
  std::fill_n(scales, (rows + 127) / 128 * tiles * 512, std::uint8_t{0});
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t group = 0; group < groups; ++group) {
      const std::uint16_t* of_group = values + row * row_stride + group * 32;
      std::uint8_t* codes_of_group = codes + row * codes_row_stride + group * 32;
      double largest = 0;
      bool finite = true;
      for (int i = 0; i < 32; ++i) {
        const double value = value_of_bfloat16(of_group[i]);
        finite = finite && std::isfinite(value);
        largest = std::max(largest, std::fabs(value));
      }
      const int byte = finite ? scale_byte(largest) : 254;
      for (int i = 0; i < 32; ++i) {
        const double value = value_of_bfloat16(of_group[i]);
        const double scaled = byte == 0 ? std::copysign(0.0, value) : std::ldexp(value, 127 - byte);
        codes_of_group[i] = finite ? nearest_e4m3(scaled) : std::uint8_t{0x7F};
      }
      const std::int64_t tile = (row / 128) * tiles + group / 4;
      scales[tile * 512 + row % 32 * 16 + row % 128 / 32 * 4 + group % 4] = static_cast<std::uint8_t>(byte);
    }
  }
}

}  // namespace keysieve::reference

// Engram gather, stated on values: e4m3 and powers of two as real numbers, BF16 by rounding to 8 significant bits.
#include <cmath>

#include "helpers/engram_gather.hpp"
#include "reference/number_reference.hpp"

namespace keysieve {

void EngramGather::reference(const Args& args) {
  const std::int64_t count = args.ids.shape[0], rows = args.table.shape[0], dim = args.table.shape[1];
  const std::int64_t block = dim / args.scales.shape[1];
  for (std::int64_t n = 0; n < count; ++n) {
    const std::int64_t id = args.ids.element == KEYSIEVE_ELEMENT_INT64
                                ? static_cast<const std::int64_t*>(args.ids.data)[n]
                                : static_cast<const std::int32_t*>(args.ids.data)[n];
    auto* out = static_cast<std::uint16_t*>(args.out.data) + n * dim;
    const bool owned = id >= args.first_row && id < args.first_row + rows;
    for (std::int64_t column = 0; column < dim; ++column) {
      if (!owned) {
        out[column] = 0;
        continue;
      }
      const std::int64_t row = id - args.first_row;
      const auto code = static_cast<const std::uint8_t*>(args.table.data)[row * args.table.strides[0] + column];
      const auto e = static_cast<const std::uint8_t*>(args.scales.data)[row * args.scales.strides[0] + column / block];
      const double scale = e == 255 ? std::nan("") : std::ldexp(1.0, e - 127);
      out[column] = reference::nearest_bfloat16(reference::value_of_e4m3(code) * scale);
    }
  }
}

}  // namespace keysieve

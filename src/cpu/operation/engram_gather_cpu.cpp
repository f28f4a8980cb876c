#include <algorithm>

#include "core/number_formats.hpp"
#include "cpu/operations.hpp"
#include "cpu/parallel.hpp"

namespace keysieve::cpu {
namespace {

void gather_row(const EngramGatherParams& params, std::int64_t n) {
  const std::int64_t id = params.ids_are_64_bit != 0 ? static_cast<const std::int64_t*>(params.ids)[n]
                                                     : static_cast<const std::int32_t*>(params.ids)[n];
  std::uint16_t* out = params.out + n * params.dim;
  if (id < params.first_row || id >= params.first_row + params.rows) {
    std::fill_n(out, params.dim, std::uint16_t{0});
    return;
  }
  const std::int64_t row = id - params.first_row;
  const std::uint8_t* codes = params.table + row * params.table_row_stride;
  const std::uint8_t* scales = params.scales + row * params.scales_row_stride;
  const std::int32_t block = 1 << params.block_shift;
  for (std::int32_t begin = 0; begin < params.dim; begin += block) {
    const float scale = float_from_ue8m0(scales[begin >> params.block_shift]);
    for (std::int32_t column = begin; column < begin + block; ++column) {
      out[column] = bfloat16_from_float(float_from_e4m3(codes[column]) * scale);
    }
  }
}

}  // namespace

void engram_gather(const EngramGatherParams& params, std::int32_t threads) {
  constexpr std::int64_t kRowsAtOnce = 64;
  const std::int64_t pieces = (params.count + kRowsAtOnce - 1) / kRowsAtOnce;
  parallel_for_each(threads, pieces, IndexedBody([&](std::int32_t, std::int64_t piece) {
                      const std::int64_t end = std::min(params.count, (piece + 1) * kRowsAtOnce);
                      for (std::int64_t n = piece * kRowsAtOnce; n < end; ++n) gather_row(params, n);
                    }));
}

}  // namespace keysieve::cpu

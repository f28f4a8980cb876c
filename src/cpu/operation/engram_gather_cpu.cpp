#include <algorithm>

#include "core/number_formats.hpp"
#include "cpu/operation/rows.hpp"
#include "cpu/operations.hpp"

namespace keysieve::cpu {
namespace {

void gather_row(const EngramGatherParams& params, std::int64_t n) {
  const std::int64_t id = integer_at(params.ids, params.ids_are_64_bit, n);
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
  for_each_row(threads, params.count, [&](std::int64_t n) { gather_row(params, n); });
}

}  // namespace keysieve::cpu

// Engram gather: a thread takes 16 columns of an id at a time, or one where vectors do not fit. Consecutive threads
// take consecutive columns, so a row's bytes are read and written once and whole.
#pragma once

#include "cuda/simt/numbers.hpp"
#include "helpers/engram_gather.hpp"

namespace keysieve {

// Row of the table that id `n` names, or -1: another shard's.
KEYSIEVE_DEVICE std::int64_t engram_row(const EngramGatherParams& params, std::int64_t n) {
  const std::int64_t id = params.ids_are_64_bit != 0 ? static_cast<const std::int64_t*>(params.ids)[n]
                                                     : static_cast<const std::int32_t*>(params.ids)[n];
  return id >= params.first_row && id < params.first_row + params.rows ? id - params.first_row : -1;
}

KEYSIEVE_DEVICE void gather_16_columns(const EngramGatherParams& params, std::int64_t n, std::int32_t column) {
  simt::Vector low{}, high{};
  const std::int64_t row = engram_row(params, n);
  if (row >= 0) {
    const simt::Vector codes = simt::load_streaming(params.table + row * params.table_row_stride + column);
    const float scale =
        float_from_ue8m0(params.scales[row * params.scales_row_stride + (column >> params.block_shift)]);
    KEYSIEVE_UNROLL
    for (int i = 0; i < 8; ++i) {
      const std::uint32_t halves = simt::half_pair_from_e4m3(codes.words[i / 2] >> (16 * (i % 2)));
      const float first = simt::float_from_half(static_cast<std::uint16_t>(halves));
      const float second = simt::float_from_half(static_cast<std::uint16_t>(halves >> 16));
      const std::uint32_t pair = simt::bfloat16_pair(simt::multiply(first, scale), simt::multiply(second, scale));
      (i < 4 ? low : high).words[i % 4] = pair;
    }
  }
  std::uint16_t* out = params.out + n * params.dim + column;
  simt::store_vector(out, low);
  simt::store_vector(out + 8, high);
}

KEYSIEVE_DEVICE void gather_column(const EngramGatherParams& params, std::int64_t n, std::int32_t column) {
  std::uint16_t value = 0;
  const std::int64_t row = engram_row(params, n);
  if (row >= 0) {
    const float scale =
        float_from_ue8m0(params.scales[row * params.scales_row_stride + (column >> params.block_shift)]);
    value = bfloat16_from_float(
        simt::multiply(float_from_e4m3(params.table[row * params.table_row_stride + column]), scale));
  }
  params.out[n * params.dim + column] = value;
}

KEYSIEVE_DEVICE void engram_gather(const EngramGatherParams& params) {
  simt::wait_for_dependencies();
  const std::int32_t columns = params.vectors_fit != 0 ? 16 : 1;
  const std::int64_t pieces = params.count * (params.dim / columns);
  const std::int64_t step = simt::num_blocks() * simt::block_threads();
  for (std::int64_t piece = simt::block_index() * simt::block_threads() + simt::thread_index(); piece < pieces;
       piece += step) {
    const std::int64_t first = piece * columns;
    const std::int64_t n = first >> params.dim_shift;
    const auto column = static_cast<std::int32_t>(first & (params.dim - 1));
    if (params.vectors_fit != 0) {
      gather_16_columns(params, n, column);
    } else {
      gather_column(params, n, column);
    }
  }
}

}  // namespace keysieve

// Small GEMM. A warp takes the 512 k of a block for one column of w and up to 4 rows of x: two vectors of each a lane,
// those of up to 2 rows all in flight at once, so that a call is one trip to memory and one reduction. A CTA is the
// warps of a few columns; where K has several blocks, their sums meet in shared memory.
#pragma once

#include "cuda/simt/numbers.hpp"
#include "helpers/small_gemm.hpp"

namespace keysieve {

KEYSIEVE_DEVICE float low_bfloat16(std::uint32_t pair) { return float_of(pair << 16); }
KEYSIEVE_DEVICE float high_bfloat16(std::uint32_t pair) { return float_of(pair & 0xFFFF0000u); }

// The 16 products of a lane, in the order of kernels.h.
KEYSIEVE_DEVICE float small_gemm_lane(const simt::Vector& x_first, const simt::Vector& x_second,
                                      const simt::Vector& w_first, const simt::Vector& w_second) {
  float pairs[4];
  KEYSIEVE_UNROLL
  for (int i = 0; i < 4; ++i) {
    const float even = simt::multiply(low_bfloat16(x_first.words[i]), low_bfloat16(w_first.words[i]));
    const float odd = simt::multiply(high_bfloat16(x_first.words[i]), high_bfloat16(w_first.words[i]));
    pairs[i] = simt::add(simt::multiply_add(low_bfloat16(x_second.words[i]), low_bfloat16(w_second.words[i]), even),
                         simt::multiply_add(high_bfloat16(x_second.words[i]), high_bfloat16(w_second.words[i]), odd));
  }
  return simt::add(simt::add(pairs[0], pairs[1]), simt::add(pairs[2], pairs[3]));
}

// Two values a lane become one: lanes with `mask` keep the second, the others the first, each with what its partner had
// of the same. So several rows are folded by as many shuffles as one.
KEYSIEVE_DEVICE float fold_two(float first, float second, int mask) {
  const bool upper = (simt::lane_index() & mask) != 0;
  const float kept = upper ? second : first, given = upper ? first : second;
  return simt::add(kept, simt::shuffle_xor(given, mask));
}

// Lanes folded in halves, for kRows rows; the sum of row r is in the lanes from r * (32 / kRows) on.
template <int kRows>
KEYSIEVE_DEVICE float small_gemm_fold(const float (&sums)[kRows]) {
  float sum = 0;
  if constexpr (kRows == 4) {
    sum = fold_two(fold_two(sums[0], sums[2], 16), fold_two(sums[1], sums[3], 16), 8);
  } else if constexpr (kRows == 2) {
    sum = fold_two(sums[0], sums[1], 16);
  } else {
    sum = sums[0];
  }
  KEYSIEVE_UNROLL
  for (int mask = 16 / kRows; mask > 0; mask /= 2) sum = simt::add(sum, simt::shuffle_xor(sum, mask));
  return sum;
}

KEYSIEVE_DEVICE float small_gemm_ten_blocks(const float* blocks) {
  float pairs[5];
  KEYSIEVE_UNROLL
  for (int i = 0; i < 5; ++i) pairs[i] = simt::add(blocks[2 * i], blocks[2 * i + 1]);
  return simt::add(simt::add(simt::add(pairs[0], pairs[1]), simt::add(pairs[2], pairs[3])), pairs[4]);
}

KEYSIEVE_DEVICE void small_gemm_store(const SmallGemmParams& params, std::int64_t row, std::int32_t column, float sum) {
  if (row < params.m) params.out[row * params.out_stride + column] = bfloat16_from_float(sum);
}

template <int kRows, int kBlocks>
KEYSIEVE_DEVICE void small_gemm_tile(const SmallGemmParams& params, std::int64_t first_row, std::int32_t first_column) {
  constexpr int kHalf = SmallGemm::kBlock / 2, kRowLanes = simt::kWarpLanes / kRows;
  const int lane = simt::lane_index(), warp = simt::warp_index();
  const int column = warp / kBlocks, block = warp - column * kBlocks;
  const std::int32_t within = block * SmallGemm::kBlock + lane * 8;
  const std::uint16_t* w = params.w + (first_column + column) * (kBlocks * SmallGemm::kBlock) + within;
  const simt::Vector w_first = simt::load_vector(w), w_second = simt::load_vector(w + kHalf);
  simt::Vector x_first[kRows], x_second[kRows];
  KEYSIEVE_UNROLL
  for (int i = 0; i < kRows; ++i) {
    // Past the last row that one again, and nothing is stored: no lane leaves the warp.
    const std::int64_t row = first_row + i < params.m ? first_row + i : params.m - 1;
    const std::uint16_t* x = params.x + row * params.x_stride + within;
    x_first[i] = simt::load_vector(x);
    x_second[i] = simt::load_vector(x + kHalf);
  }
  float sums[kRows];
  KEYSIEVE_UNROLL
  for (int i = 0; i < kRows; ++i) sums[i] = small_gemm_lane(x_first[i], x_second[i], w_first, w_second);
  const float sum = small_gemm_fold<kRows>(sums);
  const int row = lane / kRowLanes;
  if constexpr (kBlocks == 1) {
    if (lane % kRowLanes == 0) small_gemm_store(params, first_row + row, first_column + column, sum);
  } else {
    static_assert(kBlocks == 10);
    auto* shared = reinterpret_cast<float*>(simt::shared_memory());
    if (lane % kRowLanes == 0) shared[(column * kRows + row) * kBlocks + block] = sum;
    simt::sync_block();
    const int thread = simt::thread_index();
    if (thread < kRows << params.cta_columns_shift) {
      small_gemm_store(params, first_row + thread % kRows, first_column + thread / kRows,
                       small_gemm_ten_blocks(shared + thread * kBlocks));
    }
  }
}

template <int kRows>
KEYSIEVE_DEVICE void small_gemm_rows(const SmallGemmParams& params) {
  // Both powers of two.
  const std::int32_t groups = params.columns >> params.cta_columns_shift;
  const std::int64_t tiles = (params.m + kRows - 1) / kRows * groups;
  for (std::int64_t tile = simt::block_index(); tile < tiles; tile += simt::num_blocks()) {
    // What the tile before left in shared memory has been read. Only a grid that is too small gets here.
    if (tile != simt::block_index()) simt::sync_block();
    const auto group = static_cast<std::int32_t>(tile & (groups - 1));
    const std::int64_t first_row = (tile >> simt::highest_bit(static_cast<std::uint32_t>(groups))) * kRows;
    const std::int32_t first_column = group << params.cta_columns_shift;
    if (params.k_blocks == 1) {
      small_gemm_tile<kRows, 1>(params, first_row, first_column);
    } else {
      small_gemm_tile<kRows, 10>(params, first_row, first_column);
    }
  }
}

KEYSIEVE_DEVICE void small_gemm(const SmallGemmParams& params) {
  simt::wait_for_dependencies();
  if (params.cta_rows == 1) return small_gemm_rows<1>(params);
  if (params.cta_rows == 2) return small_gemm_rows<2>(params);
  return small_gemm_rows<4>(params);
}

}  // namespace keysieve

#include <cmath>

#include "core/number_formats.hpp"
#include "cpu/operations.hpp"
#include "cpu/parallel.hpp"

namespace keysieve::cpu {
namespace {

constexpr int kBlock = SmallGemm::kBlock, kLanes = 32, kSlots = 8, kHalf = kBlock / 2, kMostBlocks = 10;

// The order of kernels.h.
float block_sum(const std::uint16_t* x, const std::uint16_t* w) {
  float lanes[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    float slots[kSlots];
    for (int i = 0; i < kSlots; ++i) {
      const int at = lane * kSlots + i;
      const float product = float_from_bfloat16(x[at]) * float_from_bfloat16(w[at]);
      slots[i] = std::fma(float_from_bfloat16(x[kHalf + at]), float_from_bfloat16(w[kHalf + at]), product);
    }
    lanes[lane] = ((slots[0] + slots[1]) + (slots[2] + slots[3])) + ((slots[4] + slots[5]) + (slots[6] + slots[7]));
  }
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

float sum_in_pairs(float* values, int count) {
  while (count > 1) {
    for (int i = 0; i < count / 2; ++i) values[i] = values[2 * i] + values[2 * i + 1];
    if (count % 2 != 0) values[count / 2] = values[count - 1];
    count = (count + 1) / 2;
  }
  return values[0];
}

}  // namespace

void small_gemm(const SmallGemmParams& params, std::int32_t threads) {
  const std::int64_t k = std::int64_t{params.k_blocks} * kBlock;
  parallel_for_each(threads, params.m, IndexedBody([&](std::int32_t, std::int64_t row) {
                      const std::uint16_t* x = params.x + row * params.x_stride;
                      for (std::int32_t column = 0; column < params.columns; ++column) {
                        const std::uint16_t* w = params.w + column * k;
                        float sums[kMostBlocks];
                        for (std::int32_t block = 0; block < params.k_blocks; ++block) {
                          sums[block] = block_sum(x + block * kBlock, w + block * kBlock);
                        }
                        params.out[row * params.out_stride + column] =
                            bfloat16_from_float(sum_in_pairs(sums, params.k_blocks));
                      }
                    }));
}

}  // namespace keysieve::cpu

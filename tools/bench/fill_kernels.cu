#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

#include "bench/device.hpp"
#include "bench/kernels.hpp"
#include "bench/score_formula.hpp"

namespace keysieve::bench {
namespace {

constexpr int kFillThreads = 256;
constexpr unsigned kMaxGridRows = 65535;

template <typename Element>
__device__ Element convert(float value);
template <>
__device__ float convert<float>(float value) {
  return value;
}
template <>
__device__ __half convert<__half>(float value) {
  return __float2half_rn(value);
}
template <>
__device__ __nv_bfloat16 convert<__nv_bfloat16>(float value) {
  return __float2bfloat16_rn(value);
}

template <typename Element>
__global__ void __launch_bounds__(kFillThreads) fill_kernel(Element* scores, FillArgs args) {
  const std::int64_t column = std::int64_t{blockIdx.x} * kFillThreads + threadIdx.x;
  if (column >= args.stride) return;
  for (std::int64_t row = blockIdx.y; row < args.rows; row += gridDim.y) {
    Element* address = scores + row * args.stride + column;
    const auto row32 = static_cast<std::uint32_t>(row);
    const auto column32 = static_cast<std::uint32_t>(column);
    if (column >= args.lengths[row]) {
      *address = convert<Element>(float_of_bits(kPlusInfBits));
    } else if (sizeof(Element) == 2 && args.distribution == Distribution::kLowBits) {
      *reinterpret_cast<std::uint16_t*>(address) = low_bits_16(row32, column32);
    } else {
      *address = convert<Element>(score_at(args, row32, column32));
    }
  }
}

template <typename Element>
void launch_fill(const FillArgs& args, void* scores, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((args.stride + kFillThreads - 1) / kFillThreads);
  const auto grid_rows = static_cast<unsigned>(std::min<std::int64_t>(args.rows, kMaxGridRows));
  fill_kernel<<<dim3(blocks, grid_rows), kFillThreads, 0, stream>>>(static_cast<Element*>(scores), args);
  check_cuda(cudaGetLastError(), "fill scores");
}

}  // namespace

void fill_scores(const ScoreRows& rows, void* scores, Distribution distribution, int log2_samples,
                 cudaStream_t stream) {
  const FillArgs args = {rows.lengths,
                         rows.rows,
                         rows.width,
                         rows.stride,
                         distribution,
                         log2_samples,
                         static_cast<int>(16 / size_bytes(rows.type))};
  switch (rows.type) {
    case ScoreType::kFloat32:
      return launch_fill<float>(args, scores, stream);
    case ScoreType::kBFloat16:
      return launch_fill<__nv_bfloat16>(args, scores, stream);
    case ScoreType::kFloat16:
      return launch_fill<__half>(args, scores, stream);
  }
}

}  // namespace keysieve::bench

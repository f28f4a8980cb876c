#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

#include "device.hpp"
#include "kernels.hpp"
#include "sample_positions.hpp"

namespace keysieve::bench {
namespace {

constexpr int kFillThreads = 256;
constexpr unsigned kMaxGridRows = 65535;
constexpr std::uint32_t kPlusInf = 0x7F800000u;
constexpr std::uint32_t kMinusInf = 0xFF800000u;
constexpr std::uint32_t kNan = 0x7FC00000u;

__device__ std::uint32_t hash(std::uint32_t row, std::uint32_t column, std::uint32_t salt) {
  std::uint32_t x = (column * 0x9E3779B1u) ^ (row * 0x85EBCA77u) ^ salt;
  x ^= x >> 16;
  x *= 0x7FEB352Du;
  x ^= x >> 15;
  x *= 0x846CA68Bu;
  x ^= x >> 16;
  return x;
}

// In (0, 1].
__device__ float unit(std::uint32_t bits) { return fmaf(static_cast<float>(bits), 0x1p-32f, 0x1p-33f); }

// Box-Muller: a normal distribution with its tails, which decide how many candidates pass a cutoff.
__device__ float normal(std::uint32_t row, std::uint32_t column) {
  const float radius = sqrtf(-2.0f * logf(unit(hash(row, column, 0x51ED270Bu))));
  return radius * cospif(2.0f * unit(hash(row, column, 0xB5297A4Du)));
}

struct FillArgs {
  const std::int32_t* lengths;
  std::int64_t rows;
  std::int64_t width;
  std::int64_t stride;
  Distribution distribution;
  int log2_samples;
  int vector_columns;
};

__device__ bool is_sampled(const FillArgs& args, std::uint32_t row, std::uint32_t vector) {
  const std::int32_t num_vectors = (args.lengths[row] + args.vector_columns - 1) / args.vector_columns;
  return is_sampled_vector(static_cast<std::int32_t>(vector), num_vectors, args.log2_samples);
}

// The score as FP32. Ranks are spread over [0, 1) in the 16-bit types, which cannot hold large integers.
__device__ float score(const FillArgs& args, std::uint32_t row, std::uint32_t column) {
  const auto width = static_cast<std::uint32_t>(args.width);
  const auto rank = [&](std::uint32_t position) {
    const auto value = static_cast<float>(position);
    return args.vector_columns == 4 ? value : value / static_cast<float>(width);
  };
  const std::uint32_t vector = column / static_cast<std::uint32_t>(args.vector_columns);
  switch (args.distribution) {
    case Distribution::kConstant:
      return 0.5f;
    case Distribution::kAscending:
      return rank(column);
    case Distribution::kDescending:
      return rank(width - 1 - column);
    case Distribution::kRelu:
      return fmaxf(0.0f, normal(row, column) - 1.28f);
    case Distribution::kReluDeep:
      return fmaxf(0.0f, normal(row, column) - 2.6f);
    case Distribution::kLowBits:
      return __uint_as_float(0x3F900000u | (hash(row, column, 1) & 0x3FFu));
    case Distribution::kShifted:
      return 100.0f + normal(row, column);
    case Distribution::kScaled:
      return 1e-8f * normal(row, column);
    case Distribution::kAllNan:
      return __uint_as_float(kNan);
    case Distribution::kMostlyMinusInf:
      return unit(hash(row, column, 2)) < 0.03f ? normal(row, column) : __uint_as_float(kMinusInf);
    case Distribution::kHiddenPeaks: {
      const bool peak = hash(row, vector, 3) % 8 == 0 && !is_sampled(args, row, vector);
      return normal(row, column) + (peak ? 10.0f : 0.0f);
    }
    case Distribution::kDefeatsSample:
      return is_sampled(args, row, vector) ? -1000.0f : rank(column);
    default:
      return normal(row, column);
  }
}

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

// Rounding would merge the low bits of an FP32 pattern: the 16-bit types get seven of their own.
__device__ void store_low_bits(void* address, std::uint32_t bits) {
  *static_cast<std::uint16_t*>(address) = static_cast<std::uint16_t>(0x3F80u | (bits & 0x7Fu));
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
      *address = convert<Element>(__uint_as_float(kPlusInf));
    } else if (sizeof(Element) == 2 && args.distribution == Distribution::kLowBits) {
      store_low_bits(address, hash(row32, column32, 1));
    } else {
      *address = convert<Element>(score(args, row32, column32));
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

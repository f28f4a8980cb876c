// Kernels of the benchmark itself: the floors that selection is held against, and the scores it selects from.
// All of them enqueue on `stream` and throw when the launch fails.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "distribution.hpp"
#include "keysieve/types.hpp"

namespace keysieve::bench {

// Rows of scores on the device. The stride is in elements and a multiple of 16 bytes, the base is aligned to 16.
struct ScoreRows {
  const void* scores = nullptr;
  const std::int32_t* lengths = nullptr;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  std::int64_t stride = 0;
  ScoreType type = ScoreType::kFloat32;
};

// Columns past the length of a row become +inf: whoever reads them as scores gets a wrong answer.
// `log2_samples`: the size of the sample that the rows of some distributions are built against.
void fill_scores(const ScoreRows& rows, void* scores, Distribution distribution, int log2_samples, cudaStream_t stream);

// Launch shapes of the read floor; the fastest one at a cell is the floor there.
inline constexpr int kFloorShapes = 4;

// Reads each live score once with 16-byte loads. With `indices`, also writes rows * k of them. `sink` is written
// only where it keeps the compiler from leaving loads out.
void enqueue_read_floor(const ScoreRows& rows, int shape, std::int32_t* indices, std::int64_t k, std::uint32_t* sink,
                        cudaStream_t stream);

// XOR of all live scores into *sink: by the loads of the floor, and by plain loads of one score at a time. The two
// agree when the floor reads every live score once.
void enqueue_floor_checksum(const ScoreRows& rows, int shape, std::uint32_t* sink, cudaStream_t stream);
void enqueue_plain_checksum(const ScoreRows& rows, std::uint32_t* sink, cudaStream_t stream);

void enqueue_empty(cudaStream_t stream);

}  // namespace keysieve::bench

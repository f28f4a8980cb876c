// Kernels of the benchmark itself: the floors that selection is held against, and the scores it selects from.
// All of them enqueue on `stream` and throw when the launch fails.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "bench/score_rows.hpp"

namespace keysieve::bench {

// Columns past the length of a row become +inf: whoever reads them as scores gets a wrong answer.
// `log2_samples`: the size of the sample that the rows of some distributions are built against.
void fill_scores(const ScoreRows& rows, void* scores, Distribution distribution, int log2_samples, cudaStream_t stream);

// Launch shapes of the read floor; the fastest one at a cell is the floor there.
inline constexpr int kFloorShapes = 5;

// Reads each live score once with 16-byte loads. With `indices`, also writes rows * k of them. `sink` is written
// only where it keeps the compiler from leaving loads out.
void enqueue_read_floor(const ScoreRows& rows, int shape, std::int32_t* indices, std::int64_t k, std::uint32_t* sink,
                        cudaStream_t stream);

// XOR of all live scores into *sink: by the loads of the floor, and by plain loads of one score at a time. The two
// agree when the floor reads every live score once.
void enqueue_floor_checksum(const ScoreRows& rows, int shape, std::uint32_t* sink, cudaStream_t stream);
void enqueue_plain_checksum(const ScoreRows& rows, std::uint32_t* sink, cudaStream_t stream);

void enqueue_empty(cudaStream_t stream);

// Writes every live score once more, as it is: a scorer's last kernel as far as caches and dependent launch can tell.
void enqueue_rewrite(const ScoreRows& rows, void* scores, cudaStream_t stream);

}  // namespace keysieve::bench

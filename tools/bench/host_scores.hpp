// Scores of the benchmark's rows in host memory.
#pragma once

#include "bench/score_rows.hpp"

namespace keysieve::bench {

// As fill_scores, on `threads` threads; `lengths` of `rows` is host memory.
void fill_host_scores(const ScoreRows& rows, void* scores, Distribution distribution, int log2_samples, int threads);

// Round to nearest even.
std::uint16_t to_bfloat16(float value);
std::uint16_t to_float16(float value);

}  // namespace keysieve::bench

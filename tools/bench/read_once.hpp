// The CPU's yardstick: threads that read live scores once and write the outputs once, and do nothing else.
#pragma once

#include <cstdint>
#include <span>

#include "bench/score_rows.hpp"

namespace keysieve::bench {

// XOR of all words, so that no load can be left out.
std::uint32_t read_once(std::span<const std::uint32_t> words);

// `lengths` is host memory. `words_per_row` 4-byte words a row are written to `outputs` where it is not null. Pieces of
// rows are dealt to `threads` threads, as the library deals them.
std::uint32_t run_cpu_floor(const ScoreRows& rows, std::int32_t* outputs, std::int64_t words_per_row, int threads);

}  // namespace keysieve::bench

// What kernels over rows have in common on the CPU.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/error_word.hpp"
#include "cpu/parallel.hpp"

namespace keysieve::cpu {

// body(row) for every row, some at a time.
template <typename Body>
void for_each_row(std::int32_t threads, std::int64_t rows, const Body& body) {
  constexpr std::int64_t kRowsAtOnce = 64;
  const std::int64_t pieces = (rows + kRowsAtOnce - 1) / kRowsAtOnce;
  parallel_for_each(threads, pieces, IndexedBody([&](std::int32_t, std::int64_t piece) {
                      const std::int64_t end = std::min(rows, (piece + 1) * kRowsAtOnce);
                      for (std::int64_t row = piece * kRowsAtOnce; row < end; ++row) body(row);
                    }));
}

// Entry `n` of an array of int32 or int64.
inline std::int64_t integer_at(const void* integers, std::int32_t are_64_bit, std::int64_t n) {
  return are_64_bit != 0 ? static_cast<const std::int64_t*>(integers)[n]
                         : static_cast<const std::int32_t*>(integers)[n];
}

}  // namespace keysieve::cpu

#include "bench/read_once.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "cpu/parallel.hpp"

#if defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KEYSIEVE_WIDE_LOADS __attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#else
#define KEYSIEVE_WIDE_LOADS
#endif

namespace keysieve::bench {
namespace {

constexpr std::int64_t kPieceColumns = 32768;

}  // namespace

// Sixteen independent sums of eight words: wide loads on every target, never waiting for one another.
KEYSIEVE_WIDE_LOADS std::uint32_t read_once(std::span<const std::uint32_t> words) {
  constexpr std::size_t kLanes = 128;
  std::uint32_t sums[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= words.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] ^= words[i + lane];
  }
  std::uint32_t total = 0;
  for (; i < words.size(); ++i) total ^= words[i];
  for (const std::uint32_t sum : sums) total ^= sum;
  return total;
}

std::uint32_t run_cpu_floor(const ScoreRows& rows, std::int32_t* outputs, std::int64_t words_per_row, int threads) {
  // Rows stay whole where there are enough of them for every thread.
  const std::int64_t pieces_per_row = rows.rows >= threads ? 1 : (rows.width + kPieceColumns - 1) / kPieceColumns;
  const std::int64_t piece_columns = (rows.width + pieces_per_row - 1) / pieces_per_row;
  const std::int64_t columns_per_word = 4 / size_bytes(rows.type);
  std::atomic<std::uint32_t> total{0};
  const auto piece = [&](std::int32_t, std::int64_t at) {
    const std::int64_t row = at / pieces_per_row, part = at % pieces_per_row;
    const std::int64_t begin = part * piece_columns / columns_per_word * columns_per_word;
    const std::int64_t end = std::min<std::int64_t>((part + 1) * piece_columns, rows.lengths[row]);
    if (begin < end) {
      const auto* words =
          static_cast<const std::uint32_t*>(rows.scores) + (row * rows.stride + begin) / columns_per_word;
      const auto count = static_cast<std::size_t>((end - begin + columns_per_word - 1) / columns_per_word);
      total.fetch_xor(read_once({words, count}), std::memory_order_relaxed);
    }
    if (outputs == nullptr || part != 0) return;
    std::int32_t* slots = outputs + row * words_per_row;
    for (std::int64_t i = 0; i < words_per_row; ++i) slots[i] = static_cast<std::int32_t>(i);
  };
  cpu::parallel_for_each(threads, rows.rows * pieces_per_row, cpu::IndexedBody(piece));
  return total.load();
}

}  // namespace keysieve::bench

#include "cuda/block/chunk_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace keysieve::test {
namespace {

// How often each chunk is visited by the warps that share the row.
std::vector<int> visits_of_all(std::int32_t num_chunks, std::int32_t warps) {
  std::vector<int> visits(static_cast<std::size_t>(num_chunks));
  for (std::int32_t warp = 0; warp < warps; ++warp) {
    const ChunkOrder order(num_chunks, warp, warps);
    std::int32_t steps = 0;
    for (ChunkOrder::Visit visit = order.first(); order.has(visit); visit = order.next(visit)) {
      const std::int32_t chunk = order.chunk_of_round(visit.round);
      if (chunk < 0 || chunk >= num_chunks || chunk % warps != warp || ++steps > num_chunks) return {};
      ++visits[static_cast<std::size_t>(chunk)];
    }
  }
  return visits;
}

TEST(ChunkOrder, EveryChunkOnce) {
  std::vector<std::int32_t> numbers;
  for (std::int32_t n = 0; n <= 150; ++n) numbers.push_back(n);
  for (const std::int32_t n : {233, 234, 255, 256, 257, 376, 377, 378, 511, 512, 513, 1000, 4096, 8191, 32768}) {
    numbers.push_back(n);
  }
  for (const std::int32_t n : numbers) {
    for (const std::int32_t warps : {1, 2, 3, 4, 5, 7, 8, 13, 16, 31, 32, 96, 512}) {
      ASSERT_EQ(visits_of_all(n, warps), std::vector<int>(static_cast<std::size_t>(n), 1)) << n << " on " << warps;
    }
  }
}

TEST(ChunkOrder, LongestRowOnOneWarp) {
  const std::int32_t num_chunks = (1 << 23) + 1;
  const std::vector<int> visits = visits_of_all(num_chunks, 1);
  EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), num_chunks);
}

// Loads run ahead of the last visit, so the round after it is asked for too.
TEST(ChunkOrder, NextRoundEndsAndStaysInsideAnywhere) {
  for (std::int32_t num_chunks = 0; num_chunks < 120; ++num_chunks) {
    for (const std::int32_t warps : {1, 2, 3, 8, 32, 200}) {
      for (std::int32_t warp = 0; warp < warps; ++warp) {
        const ChunkOrder order(num_chunks, warp, warps);
        std::int32_t round = 0;
        for (int step = 0; step < 70; ++step) {
          round = order.next_round(round);
          ASSERT_GE(round, 0);
          if (num_chunks > warp) {
            ASSERT_LT(order.chunk_of_round(round), num_chunks);
          }
        }
      }
    }
  }
}

TEST(ChunkOrder, StartsAtRoundZero) {
  for (const std::int32_t num_chunks : {1, 5, 9, 1000}) {
    const ChunkOrder order(num_chunks, 0, 4);
    EXPECT_EQ(order.first().count, 0);
    EXPECT_EQ(order.first().round, 0);
    EXPECT_TRUE(order.has(order.first()));
  }
}

// After v visits no stretch of the row is far longer than a v-th of it without one.
TEST(ChunkOrder, FirstVisitsSpreadOverTheRow) {
  for (const std::int32_t rounds : {34, 55, 56, 89, 100, 200, 233, 300, 610, 1000, 1024, 5000}) {
    const ChunkOrder order(rounds, 0, 1);
    std::vector<std::int32_t> seen;
    ChunkOrder::Visit visit = order.first();
    for (std::int32_t v = 1; v <= rounds; ++v, visit = order.next(visit)) {
      seen.push_back(visit.round);
      if (v < 8 || (v & (v - 1)) != 0) continue;
      std::vector<std::int32_t> sorted = seen;
      sorted.push_back(rounds);
      std::sort(sorted.begin(), sorted.end());
      std::int32_t widest = 0;
      for (std::size_t i = 1; i < sorted.size(); ++i) widest = std::max(widest, sorted[i] - sorted[i - 1]);
      EXPECT_LE(widest, 7 * rounds / v + 1) << rounds << " rounds, " << v << " visits";
    }
  }
}

}  // namespace
}  // namespace keysieve::test

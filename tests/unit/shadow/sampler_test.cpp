// The draws: shares, evenness, repeatability.
#include "shadow/sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace keysieve::shadow {
namespace {

std::int64_t drawn(const Sampler& sampler, std::int64_t first, std::int64_t calls, std::int64_t step = 1) {
  std::int64_t count = 0;
  for (std::int64_t call = 0; call < calls; ++call) count += sampler.draws(first + call * step) ? 1 : 0;
  return count;
}

TEST(ShadowSampler, SharesAreMet) {
  constexpr std::int64_t kCalls = 200000;
  for (const double share : {0.001, 0.01, 0.25, 0.5, 0.99}) {
    for (const std::uint64_t seed : {0u, 1u, 77u}) {
      const double deviation = std::sqrt(kCalls * share * (1 - share));
      EXPECT_NEAR(static_cast<double>(drawn({share, seed}, 0, kCalls)), kCalls * share, 5 * deviation)
          << "share " << share << ", seed " << seed;
      // One layer of 61 in every step of an engine gets its share too.
      EXPECT_NEAR(static_cast<double>(drawn({share, seed}, 7, kCalls, 61)), kCalls * share, 5 * deviation)
          << "share " << share << ", seed " << seed;
    }
  }
}

TEST(ShadowSampler, AllAndNone) {
  EXPECT_EQ(drawn({1.0, 5}, 0, 1000), 1000);
  EXPECT_EQ(drawn({0.0, 5}, 0, 1000), 0);
}

TEST(ShadowSampler, SeedsDrawDifferentCallsAndTheSameSeedTheSame) {
  int equal = 0;
  for (std::int64_t call = 0; call < 1000; ++call) {
    EXPECT_EQ(Sampler(0.5, 1).draws(call), Sampler(0.5, 1).draws(call));
    equal += Sampler(0.5, 1).draws(call) == Sampler(0.5, 2).draws(call) ? 1 : 0;
  }
  EXPECT_GT(equal, 400);
  EXPECT_LT(equal, 600);
}

TEST(ShadowSampler, RowsDifferAscendAndCoverAll) {
  for (const std::int64_t rows : {1, 2, 3, 7, 64, 1000}) {
    for (const std::int64_t picks : {std::int64_t{1}, std::min<std::int64_t>(rows, 5), rows}) {
      const Sampler sampler(1.0, 3);
      std::vector<int> hits(static_cast<std::size_t>(rows));
      constexpr std::int64_t kCalls = 20000;
      for (std::int64_t call = 0; call < kCalls / rows + 200; ++call) {
        std::int64_t last = -1;
        for (std::int64_t pick = 0; pick < picks; ++pick) {
          const std::int64_t row = sampler.row(call, pick, picks, rows);
          ASSERT_GT(row, last);
          ASSERT_LT(row, rows);
          last = row;
          ++hits[static_cast<std::size_t>(row)];
        }
      }
      if (rows <= 64) {
        for (const int hit : hits) EXPECT_GT(hit, 0) << rows << " rows, " << picks << " picks";
      }
    }
  }
}

TEST(ShadowSampler, LargestRowCountDoesNotOverflow) {
  constexpr std::int64_t kRows = 2147483647;
  const Sampler sampler(1.0, 3);
  EXPECT_GE(sampler.row(0, 1023, 1024, kRows), kRows / 1024 * 1023);
  EXPECT_LT(sampler.row(0, 1023, 1024, kRows), kRows);
}

}  // namespace
}  // namespace keysieve::shadow

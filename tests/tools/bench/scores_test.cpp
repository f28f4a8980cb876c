#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <vector>

#include "bench/cell.hpp"
#include "bench/host_scores.hpp"
#include "bench/names.hpp"
#include "bench/read_once.hpp"
#include "bench/timing.hpp"

namespace keysieve::bench {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Filled {
  std::vector<std::int32_t> lengths;
  std::vector<float> scores;
  ScoreRows rows;

  Filled(Distribution distribution, std::int64_t num_rows, std::int64_t width)
      : lengths(static_cast<std::size_t>(num_rows)), scores(static_cast<std::size_t>(num_rows * width)) {
    for (std::size_t row = 0; row < lengths.size(); ++row) lengths[row] = static_cast<std::int32_t>(width - row);
    rows = {scores.data(), lengths.data(), num_rows, width, width, ScoreType::kFloat32};
    fill_host_scores(rows, scores.data(), distribution, 9, 2);
  }
};

TEST(BenchScores, NormalRows) {
  const Filled filled(Distribution::kNormal, 4, 65536);
  double sum = 0, squares = 0;
  for (int i = 0; i < 65536; ++i) {
    sum += filled.scores[static_cast<std::size_t>(i)];
    squares += std::pow(filled.scores[static_cast<std::size_t>(i)], 2);
  }
  EXPECT_NEAR(sum / 65536, 0, 0.02);
  EXPECT_NEAR(squares / 65536, 1, 0.03);
  EXPECT_EQ(filled.scores[4 * 65536 - 3], kInfinity) << "past a row's end lies what no one may choose";
  EXPECT_LT(filled.scores[4 * 65536 - 4], 10.0f);
}

TEST(BenchScores, EveryDistributionIsItsOwn) {
  std::set<std::vector<std::uint32_t>> seen;
  for (std::size_t i = 0; i < kDistributionNames.size(); ++i) {
    const Filled filled(static_cast<Distribution>(i), 1, 4096);
    std::vector<std::uint32_t> bits(4096);
    std::memcpy(bits.data(), filled.scores.data(), bits.size() * 4);
    EXPECT_TRUE(seen.insert(bits).second) << kDistributionNames[i];
  }
}

TEST(BenchScores, TiesNarrowAndUniform) {
  const Filled ties(Distribution::kManyTies, 1, 8192);
  EXPECT_EQ(std::set<float>(ties.scores.begin(), ties.scores.end()).size(), 64u);
  const Filled narrow(Distribution::kNarrow, 1, 8192);
  const auto [low, high] = std::minmax_element(narrow.scores.begin(), narrow.scores.end());
  EXPECT_GT(*low, 0.9999f);
  EXPECT_LT(*high, 1.0001f);
  EXPECT_LT(*low, *high);
  const Filled uniform(Distribution::kUniform, 1, 8192);
  EXPECT_GE(*std::min_element(uniform.scores.begin(), uniform.scores.end()), 0.0f);
  EXPECT_LT(*std::max_element(uniform.scores.begin(), uniform.scores.end()), 1.0f);
}

TEST(BenchScores, SixteenBitRounding) {
  EXPECT_EQ(to_float16(1.0f), 0x3C00);
  EXPECT_EQ(to_float16(-2.5f), 0xC100);
  EXPECT_EQ(to_float16(65504.0f), 0x7BFF);
  EXPECT_EQ(to_float16(65520.0f), 0x7C00) << "halfway to what would be the next number: infinity";
  EXPECT_EQ(to_float16(65519.0f), 0x7BFF);
  EXPECT_EQ(to_float16(1.00048828125f), 0x3C00) << "a tie goes to even";
  EXPECT_EQ(to_float16(1.00146484375f), 0x3C02);
  EXPECT_EQ(to_float16(0x1p-24f), 0x0001);
  EXPECT_EQ(to_float16(0x1p-25f), 0x0000);
  EXPECT_EQ(to_float16(0x1.8p-25f), 0x0001);
  EXPECT_EQ(to_float16(0x1p-14f), 0x0400);
  EXPECT_EQ(to_float16(kInfinity), 0x7C00);
  EXPECT_GT(to_float16(std::nanf("")) & 0x7FFF, 0x7C00);
  EXPECT_EQ(to_bfloat16(1.0f), 0x3F80);
  EXPECT_EQ(to_bfloat16(1.00390625f), 0x3F80);
  EXPECT_EQ(to_bfloat16(1.01171875f), 0x3F82);
  EXPECT_EQ(to_bfloat16(-kInfinity), 0xFF80);
  EXPECT_GT(to_bfloat16(std::nanf("")) & 0x7FFF, 0x7F80);
}

TEST(BenchFloor, ReadsEveryLiveWordOnce) {
  Filled filled(Distribution::kUniform, 3, 70001);
  std::uint32_t expected = 0;
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::int32_t column = 0; column < filled.lengths[row]; ++column) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &filled.scores[row * 70001 + static_cast<std::size_t>(column)], 4);
      expected ^= bits;
    }
  }
  for (const int threads : {1, 2, 8}) {
    std::vector<std::int32_t> outputs(3 * 5, -1);
    EXPECT_EQ(run_cpu_floor(filled.rows, outputs.data(), 5, threads), expected) << threads << " threads";
    EXPECT_THAT(outputs, testing::ElementsAre(0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4));
    EXPECT_EQ(run_cpu_floor(filled.rows, nullptr, 0, threads), expected);
  }
}

TEST(BenchLengths, OfEveryKind) {
  double ragged = 0, shortest = 1e9;
  for (std::int64_t row = 0; row < 4096; ++row) {
    const std::int32_t length = row_length({LengthKind::kRagged, 0}, row, 131072);
    ASSERT_GE(length, 131072 - 131072 / 5);
    ASSERT_LE(length, 131072);
    ragged += length;
    const std::int32_t log_length = row_length({LengthKind::kLogUniform, 0}, row, 131072);
    ASSERT_GE(log_length, 128);
    ASSERT_LE(log_length, 131072);
    shortest = std::min<double>(shortest, log_length);
  }
  EXPECT_NEAR(ragged / 4096 / 131072, 0.9, 0.005);
  EXPECT_LT(shortest, 256);
  EXPECT_EQ(row_length({LengthKind::kFull, 0}, 3, 1000), 1000);
  EXPECT_EQ(row_length({LengthKind::kLive, 17}, 3, 1000), 17);
  EXPECT_EQ(row_length({LengthKind::kLive, 5000}, 3, 1000), 1000);
  EXPECT_EQ(row_length({LengthKind::kSkewed, 0}, 64, 262144), 262144);
  EXPECT_EQ(row_length({LengthKind::kSkewed, 0}, 63, 262144), 4096);
  EXPECT_EQ(name_of(Lengths{LengthKind::kLive, 17}), "live 17");
}

TEST(BenchTiming, Quantiles) {
  std::vector<double> times;
  for (int i = 20; i >= 0; --i) times.push_back(i);
  const Timing timing = summarise(times);
  EXPECT_EQ(timing.median_us, 10);
  EXPECT_EQ(timing.p10_us, 2);
  EXPECT_EQ(timing.p90_us, 18);
}

TEST(BenchCell, OutputsHaveRoom) {
  Cell cell;
  cell.rows = 3;
  cell.k = 7;
  cell.width = cell.capacity = 100;
  EXPECT_EQ(output_words_per_row(cell), 7);
  cell.output = IndexMode::kDual;
  cell.values = true;
  cell.dtype = ScoreType::kFloat16;
  EXPECT_EQ(output_words_per_row(cell), 14 + 4);
  const OutputLayout layout = output_layout(cell);
  EXPECT_GE(layout.raw_offset, 84);
  EXPECT_GE(layout.values_offset, layout.raw_offset + 84);
  EXPECT_EQ(layout.total_bytes, layout.values_offset + 42);
  EXPECT_EQ(row_stride(cell), 104);
}

}  // namespace
}  // namespace keysieve::bench

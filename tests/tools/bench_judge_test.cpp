// The parts of the GPU benchmark that need no GPU: a judge that cannot fail would judge nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "judge.hpp"
#include "options.hpp"
#include "sample_positions.hpp"

namespace keysieve::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Columns = std::vector<std::int32_t>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

Columns best(const std::vector<float>& scores, std::int64_t k) {
  return best_columns(scores.data(), ScoreType::kFloat32, static_cast<std::int64_t>(scores.size()), k);
}

TEST(GpuBenchJudge, OrdersScoresThenColumns) {
  EXPECT_THAT(best({1, 3, 2, 3, -4}, 3), ElementsAre(1, 3, 2));
  EXPECT_THAT(best({5, 5, 5, 5}, 2), ElementsAre(0, 1));
  EXPECT_THAT(best({-2, -1, -3}, 2), ElementsAre(1, 0));
}

TEST(GpuBenchJudge, SpecialValues) {
  EXPECT_THAT(best({kNan, -kInfinity, -1, kInfinity, std::copysign(kNan, -1.0f)}, 5), ElementsAre(3, 2, 1, 0, 4));
  EXPECT_THAT(best({-0.0f, 0.0f, -0.0f, 1e-45f, -1e-45f}, 5), ElementsAre(3, 0, 1, 2, 4));
}

TEST(GpuBenchJudge, SixteenBitTypes) {
  // 1, -1, -0, NaN, +inf, +0, smallest subnormal, -inf
  const std::vector<std::uint16_t> half = {0x3C00, 0xBC00, 0x8000, 0x7E01, 0x7C00, 0x0000, 0x0001, 0xFC00};
  EXPECT_THAT(best_columns(half.data(), ScoreType::kFloat16, 8, 8), ElementsAre(4, 0, 6, 2, 5, 1, 7, 3));
  // 0x7C00 is a finite number there.
  const std::vector<std::uint16_t> bfloat = {0x7C00, 0x7F80, 0x7F81, 0xFF80, 0x3F80};
  EXPECT_THAT(best_columns(bfloat.data(), ScoreType::kBFloat16, 5, 5), ElementsAre(1, 0, 4, 3, 2));
}

TEST(GpuBenchJudge, ShortRows) {
  EXPECT_THAT(best({2, 3}, 5), ElementsAre(1, 0));
  EXPECT_TRUE(best({}, 5).empty());
}

TEST(GpuBenchJudge, AcceptsRightRowsOnly) {
  const Columns chosen = {7, 2, 9};
  EXPECT_EQ(row_fault(Columns{9, 7, 2, -1}, chosen, SlotOrder::kAny), "");
  EXPECT_EQ(row_fault(Columns{2, 7, 9, -1}, chosen, SlotOrder::kIndex), "");
  EXPECT_EQ(row_fault(Columns{7, 2, 9, -1}, chosen, SlotOrder::kScore), "");

  EXPECT_THAT(row_fault(Columns{9, 7, 3, -1}, chosen, SlotOrder::kAny), HasSubstr("expected 2, got 3"));
  EXPECT_NE(row_fault(Columns{9, 7, 7, -1}, chosen, SlotOrder::kAny), "") << "a duplicate";
  EXPECT_NE(row_fault(Columns{9, -1, 2, -1}, chosen, SlotOrder::kAny), "") << "a hole";
  EXPECT_NE(row_fault(Columns{9, 7, 2, 1}, chosen, SlotOrder::kAny), "") << "no padding";
  EXPECT_NE(row_fault(Columns{7, 2, 9, -1}, chosen, SlotOrder::kIndex), "") << "right set, wrong order";
  EXPECT_NE(row_fault(Columns{2, 7, 9, -1}, chosen, SlotOrder::kScore), "") << "right set, wrong order";
  EXPECT_NE(row_fault(Columns(4, 0x5A5A5A5A), chosen, SlotOrder::kAny), "") << "never written";
  EXPECT_NE(row_fault(Columns(4, 0x5A5A5A5A), Columns{}, SlotOrder::kAny), "") << "an empty row, never written";
  EXPECT_EQ(row_fault(Columns(4, -1), Columns{}, SlotOrder::kAny), "");
}

Options parse(const std::vector<const char*>& arguments) { return parse_options(arguments); }

std::string complaint(const std::vector<const char*>& arguments) {
  try {
    parse(arguments);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(GpuBenchOptions, DefaultsAreTheGridOfTheBaselines) {
  const Options options = parse({});
  EXPECT_EQ(options.rows.size() * options.widths.size() * options.k.size(), 180u);
  EXPECT_EQ(options.widths.front(), 262144);
  EXPECT_GE(options.samples, 20);
}

TEST(GpuBenchOptions, ReadsLists) {
  const Options options =
      parse({"--rows",          "1,64",     "--widths",        "8192",         "--k",           "7",        "--dtypes",
             "float16,float32", "--routes", "auto,split",      "--splits",     "auto,8",        "--orders", "any,score",
             "--modes",         "cold",     "--distributions", "relu,all_nan", "--time-budget", "1.5",      "-o",
             "x.json"});
  EXPECT_THAT(options.rows, ElementsAre(1, 64));
  EXPECT_THAT(options.splits, ElementsAre(kAuto, 8));
  EXPECT_THAT(options.routes, ElementsAre(Route::kAuto, Route::kSplit));
  EXPECT_THAT(options.distributions, ElementsAre(Distribution::kRelu, Distribution::kAllNan));
  EXPECT_THAT(options.modes, ElementsAre(Mode::kCold));
  EXPECT_EQ(options.time_budget_s, 1.5);
  EXPECT_EQ(parse({"--distributions", "all"}).distributions.size(), kDistributionNames.size());
}

TEST(GpuBenchOptions, RefusesByName) {
  EXPECT_THAT(complaint({"--rows", "1,,2"}), HasSubstr("--rows: expected a number from 1 to 2147483647, got ''"));
  EXPECT_THAT(complaint({"--rows", "0"}), HasSubstr("--rows"));
  EXPECT_THAT(complaint({"--k", "12x"}), HasSubstr("got '12x'"));
  EXPECT_THAT(complaint({"--samples", "5"}), HasSubstr("from 20"));
  EXPECT_THAT(complaint({"--time-budget", "nan"}), HasSubstr("--time-budget"));
  EXPECT_THAT(complaint({"--routes", "fast"}), HasSubstr("one of auto tile sieve"));
  EXPECT_THAT(complaint({"--distributions", "normal,odd"}), HasSubstr("got 'odd'"));
  EXPECT_THAT(complaint({"--rows"}), HasSubstr("expected a value"));
  EXPECT_THAT(complaint({"--row", "1"}), HasSubstr("unknown argument '--row'"));
  EXPECT_THAT(complaint({"--live", "9000", "--widths", "8192,16384"}), HasSubstr("smallest width, 8192"));
}

TEST(GpuBenchOptions, Lengths) {
  Options options;
  std::int64_t sum = 0;
  for (std::int64_t row = 0; row < 4096; ++row) {
    const std::int32_t length = row_length(options, row, 131072);
    ASSERT_GE(length, 131072 - 131072 / 5);
    ASSERT_LE(length, 131072);
    sum += length;
  }
  EXPECT_NEAR(static_cast<double>(sum) / 4096 / 131072, 0.9, 0.005);
  EXPECT_NE(row_length(options, 0, 131072), row_length(options, 1, 131072));
  options.lengths = LengthKind::kFull;
  EXPECT_EQ(row_length(options, 3, 1000), 1000);
  options.live = 17;
  EXPECT_EQ(row_length(options, 3, 1000), 17);
  EXPECT_EQ(length_label(options), "live 17");
}

TEST(GpuBenchSample, IsTheInverseOfTheEngine) {
  for (const int log2_samples : {0, 5, 9, 12}) {
    for (const std::int32_t num_vectors : {1, 2, 3, 100, 511, 512, 513, 7777, 65536}) {
      std::vector<bool> sampled(static_cast<std::size_t>(num_vectors));
      for (std::int32_t sample = 0; sample < 1 << log2_samples; ++sample) {
        sampled[static_cast<std::size_t>(sample_vector(sample, num_vectors, log2_samples))] = true;
      }
      for (std::int32_t vector = 0; vector < num_vectors; ++vector) {
        ASSERT_EQ(is_sampled_vector(vector, num_vectors, log2_samples), sampled[static_cast<std::size_t>(vector)])
            << "vector " << vector << " of " << num_vectors << ", 2^" << log2_samples << " samples";
      }
    }
  }
}

}  // namespace
}  // namespace keysieve::bench

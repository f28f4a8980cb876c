// Class B: NaN, infinities, signed zero, key mapping.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "faults/fault_check.hpp"

namespace keysieve::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Faults, R13_RowsFullOfNan) {
  constexpr std::int64_t kManyRows = kSanitized ? 1200 : 4869;
  for (const std::uint32_t percent : {0u, 50u, 83u, 100u}) {
    for (const auto& [rows, causal] :
         {std::pair{kManyRows, false}, std::pair{kManyRows, true}, std::pair{kShorterBatch, true}}) {
      SelectCase spec = fault_case("R13", rows, 1243, 512, Pattern::kGauss);
      if (causal) {
        std::vector<std::int32_t> lengths;
        for (std::int64_t row = 0; row < spec.rows; ++row) lengths.push_back(static_cast<std::int32_t>(row % 1244));
        set_lengths(spec, lengths);
      }
      CaseInputs inputs(spec);
      for (std::int64_t row = 0; row < spec.rows; ++row) {
        for (std::int64_t column = 0; column < 1243; ++column) {
          const std::uint32_t hash = cases::hash32(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column));
          if (hash % 100u < percent) inputs.set_score(row, column, std::uint32_t{0x7FC00000});
        }
      }
      expect_right(inputs);
    }
  }
}

TEST(Faults, R14_PaddingLanesBeatNegativeInfinity) {
  for (const ScoreType type : {ScoreType::kFloat32, ScoreType::kBFloat16}) {
    for (std::int64_t width = 1; width <= 67; ++width) {
      SelectCase spec = fault_case("R14", 1, width, 16, Pattern::kAllNegativeInfinity);
      spec.score_type = type;
      CaseInputs inputs(spec);
      for (std::int64_t column = 0; column < std::min<std::int64_t>(width, 3); ++column) {
        inputs.set_score(0, column, 3.0 - static_cast<double>(column));
      }
      expect_right(inputs);
    }
    SelectCase spec = fault_case("R14", 128, 8193, 512, Pattern::kAllNegativeInfinity);
    spec.score_type = type;
    CaseInputs inputs(spec);
    for (std::int64_t row = 0; row < 128; ++row) {
      for (std::int64_t column = 0; column <= row; ++column) {
        inputs.set_score(row, column,
                         cases::gauss(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column)));
      }
    }
    expect_right(inputs);
  }
}

TEST(Faults, R17_NegativeSixteenBitScores) {
  for (const ScoreType type : {ScoreType::kBFloat16, ScoreType::kFloat16}) {
    SelectCase small = fault_case("R17", 1, 5, 3, Pattern::kConstant);
    small.score_type = type;
    small.order = SlotOrder::kScore;
    CaseInputs inputs(small);
    const double row[] = {-3.5, -1.5, -7.5, 0.5, -2.5};
    for (std::int64_t column = 0; column < 5; ++column) inputs.set_score(0, column, row[column]);
    EXPECT_EQ(selected(inputs), (std::vector<std::int64_t>{3, 1, 4}));
    expect_right(inputs);
    SelectCase large = fault_case("R17", 1, 8193, 512, Pattern::kNegatives);
    large.score_type = type;
    expect_right(large);
  }
}

TEST(Faults, R18_NegativeNan) {
  for (const NanPolicy policy : {NanPolicy::kLowest, NanPolicy::kHighest}) {
    SelectCase spec = fault_case("R18", 1, 1024, 16, Pattern::kAscending);
    spec.nan_policy = policy;
    CaseInputs inputs(spec);
    for (std::int64_t column = 63; column < 1024; column += 64) inputs.set_score(0, column, std::uint32_t{0xFFC00000});
    expect_right(inputs);
    const auto indices = selected(inputs);
    for (const std::int64_t index : indices) EXPECT_EQ(index % 64 == 63, policy == NanPolicy::kHighest) << index;
  }
}

TEST(Faults, R20_InfiniteKthScore) {
  CaseInputs some(fault_case("R20", 1, 10000, 100, Pattern::kManyInfinities));
  expect_right(some);
  for (const std::int64_t index : selected(some)) EXPECT_EQ(some.score(0, index), 0x7F800000u);
  CaseInputs few(fault_case("R20", 1, 10000, 100, Pattern::kAllNegativeInfinity));
  for (std::int64_t i = 0; i < 50; ++i) few.set_score(0, 200 * i + 13, cases::gauss(0, static_cast<std::uint32_t>(i)));
  expect_right(few);
  const auto chosen = selected(few);
  for (std::int64_t i = 0; i < 50; ++i) EXPECT_EQ(std::count(chosen.begin(), chosen.end(), 200 * i + 13), 1);
  expect_right(fault_case("R20", 1, 10000, 100, Pattern::kAllNegativeInfinity));
}

TEST(Faults, R22_SentinelValuesAreLegalScores) {
  for (const ScoreType type : kScoreTypes) {
    const double lowest[] = {-3.4028234663852886e38, -3.3895313892515355e38, -65504.0};
    for (const double rest : {lowest[static_cast<int>(type)], -kInfinity}) {
      SelectCase spec = fault_case("R22", 1, 64, 32, Pattern::kConstant);
      spec.score_type = type;
      CaseInputs inputs(spec);
      for (std::int64_t column = 0; column < 64; ++column) inputs.set_score(0, column, rest);
      for (std::int64_t i = 0; i < 10; ++i)
        inputs.set_score(0, 6 * i + 1, cases::gauss(0, static_cast<std::uint32_t>(i)));
      expect_right(inputs);
      const auto chosen = selected(inputs);
      for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(std::count(chosen.begin(), chosen.end(), 6 * i + 1), 1);
    }
  }
}

TEST(Faults, R23_AllNanRows) {
  for (const ScoreType type : kScoreTypes) {
    for (const std::int64_t k : {1, 50, 2048}) {
      SelectCase spec = fault_case("R23", 1, 151936, k, Pattern::kAllNan);
      spec.score_type = type;
      expect_right(spec);
    }
    SelectCase spec = fault_case("R23", 512, 32, 4, Pattern::kGauss);
    spec.score_type = type;
    CaseInputs inputs(spec);
    inputs.set_row(0, {Pattern::kAllNan});
    expect_right(inputs);
  }
}

}  // namespace
}  // namespace keysieve::test

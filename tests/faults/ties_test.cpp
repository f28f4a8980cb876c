// Class A: candidate buffers that overflow, ties, edges of coarse bins.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "faults/fault_check.hpp"

namespace keysieve::test {
namespace {

TEST(Faults, R01_CoarseBinOverflow) {
  for (const std::int64_t width : {3709, 4097, 8193, 16384, 16385, 16512, 65536}) {
    for (const std::int64_t rows : {1, 8, 32, 33}) {
      if (kSanitized && rows == 32) continue;
      for (const Pattern pattern : {Pattern::kUlpAscending, Pattern::kUlpShuffled, Pattern::kBand1}) {
        for (const std::int64_t k : {512, 1024, 2048}) expect_right(fault_case("R01", rows, width, k, pattern));
      }
    }
  }
}

// Rows are independent of each other: 8 of the 64 rows where the width is 1048576, for the time they take.
TEST(Faults, R02_ThresholdBucketOverflow) {
  expect_right(fault_case("R02", kSanitized ? 4 : 64, 262144, 2048, Pattern::kGauss));
  expect_right(fault_case("R02", kSanitized ? 1 : 8, 1048576, 2048, Pattern::kGauss));
  expect_right(fault_case("R02", 4, 30938, 512, Pattern::kUlpShuffled));
  expect_right(fault_case("R02", 4, 65504, 512, Pattern::kUlpShuffled));
}

TEST(Faults, R04_SlotsLeftUnwrittenOnTies) {
  for (const std::int64_t winners : {100, 500}) {
    SelectCase spec = fault_case("R04", 1, 8320, 2048, Pattern::kPlateau);
    spec.pattern.parameter = winners;
    expect_right(spec);
  }
  expect_right(fault_case("R04", 1, 8320, 2048, Pattern::kConstant));
  CaseInputs infinite(fault_case("R04", 1, 8320, 2048, Pattern::kGauss));
  for (std::int64_t column = 0; column < 3000; ++column) {
    infinite.set_score(0, column, std::numeric_limits<double>::infinity());
  }
  expect_right(infinite);
}

TEST(Faults, R06_MonotoneRowsInPages) {
  for (const std::int64_t width : {16384, 16448, 32768}) {
    for (const std::int64_t k : {512, 2048}) {
      SelectCase spec = fault_case("R06", 2, width, k, Pattern::kUlpAscending);
      spec.mode = IndexMode::kPaged;
      spec.page_size = 64;
      spec.page_fill = PageFill::kIdentity;
      const CaseInputs inputs(spec);
      expect_right(inputs);
      std::vector<std::int64_t> last(static_cast<std::size_t>(k));
      std::iota(last.begin(), last.end(), width - k);
      EXPECT_EQ(selected(inputs), last);
    }
  }
}

TEST(Faults, R08_KPastTheCandidateBuffer) {
  for (const std::int64_t rows : {1, kSanitized ? 10 : 200}) {
    for (const std::int64_t k : {4096, 8192, 16384}) {
      expect_right(fault_case("R08", rows, 32768, k, Pattern::kConstant));
      SelectCase spec = fault_case("R08", rows, 32768, k, Pattern::kPlateau);
      spec.pattern.parameter = 3;
      expect_right(spec);
    }
  }
}

TEST(Faults, R10_OutlierStretchesTheRange) {
  for (const ScoreType type : {ScoreType::kFloat16, ScoreType::kBFloat16}) {
    SelectCase spec = fault_case("R10", 1, 8192, 512, Pattern::kPlateau);
    spec.score_type = type;
    CaseInputs inputs(spec);
    inputs.set_score(0, 0, type == ScoreType::kFloat16 ? 65504.0 : 65536.0);
    for (std::int64_t column = 1; column <= 600; ++column) inputs.set_score(0, column, 1.0);
    for (std::int64_t column = 601; column <= 1200; ++column) inputs.set_score(0, column, 1.25);
    expect_right(inputs);
    std::vector<std::int64_t> right(512);
    std::iota(right.begin(), right.end(), 600);
    right[0] = 0;
    EXPECT_EQ(selected(inputs), right);
  }
}

// 528 rows: four per multiprocessor of the largest GPU in use.
TEST(Faults, R12_OverflowingRoundsBesideOthers) {
  CaseInputs inputs(fault_case("R12", kSanitized ? 60 : 528, 8193, 512, Pattern::kUlpShuffled));
  for (std::int64_t row = 0; row < inputs.spec().rows; ++row) {
    if (row % 3 == 1) inputs.set_row(row, {Pattern::kGauss});
    if (row % 3 == 2) inputs.set_row(row, {Pattern::kConstant});
  }
  expect_right(inputs);
}

}  // namespace
}  // namespace keysieve::test

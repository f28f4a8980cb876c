// A judge that cannot fail would judge nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "bench/judge.hpp"
#include "bench/row_checks.hpp"
#include "bench/sample_positions.hpp"
#include "bench/slots.hpp"

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

TEST(BenchJudge, OrdersScoresThenColumns) {
  EXPECT_THAT(best({1, 3, 2, 3, -4}, 3), ElementsAre(1, 3, 2));
  EXPECT_THAT(best({5, 5, 5, 5}, 2), ElementsAre(0, 1));
  EXPECT_THAT(best({-2, -1, -3}, 2), ElementsAre(1, 0));
}

TEST(BenchJudge, SpecialValues) {
  EXPECT_THAT(best({kNan, -kInfinity, -1, kInfinity, std::copysign(kNan, -1.0f)}, 5), ElementsAre(3, 2, 1, 0, 4));
  EXPECT_THAT(best({-0.0f, 0.0f, -0.0f, 1e-45f, -1e-45f}, 5), ElementsAre(3, 0, 1, 2, 4));
}

TEST(BenchJudge, SixteenBitTypes) {
  // 1, -1, -0, NaN, +inf, +0, smallest subnormal, -inf
  const std::vector<std::uint16_t> half = {0x3C00, 0xBC00, 0x8000, 0x7E01, 0x7C00, 0x0000, 0x0001, 0xFC00};
  EXPECT_THAT(best_columns(half.data(), ScoreType::kFloat16, 8, 8), ElementsAre(4, 0, 6, 2, 5, 1, 7, 3));
  // 0x7C00 is a finite number there.
  const std::vector<std::uint16_t> bfloat = {0x7C00, 0x7F80, 0x7F81, 0xFF80, 0x3F80};
  EXPECT_THAT(best_columns(bfloat.data(), ScoreType::kBFloat16, 5, 5), ElementsAre(1, 0, 4, 3, 2));
}

TEST(BenchJudge, ShortRows) {
  EXPECT_THAT(best({2, 3}, 5), ElementsAre(1, 0));
  EXPECT_TRUE(best({}, 5).empty());
}

TEST(BenchJudge, AcceptsRightRowsOnly) {
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

Cell one_row(IndexMode output, std::int64_t width, std::int64_t k) {
  Cell cell;
  cell.rows = 5;
  cell.width = cell.capacity = width;
  cell.k = k;
  cell.output = output;
  return cell;
}

RowTruth truth_of(const std::vector<float>& scores, std::int64_t k) {
  std::vector<std::byte> bytes(scores.size() * 4);
  std::memcpy(bytes.data(), scores.data(), bytes.size());
  return make_truth(std::move(bytes), ScoreType::kFloat32, static_cast<std::int64_t>(scores.size()), k);
}

TEST(BenchJudge, MultisetOfScores) {
  const std::vector<float> scores = {1, 3, 3, 3, 0};
  const Columns chosen = best(scores, 2);
  const auto fault = [&](const Columns& slots) {
    return multiset_fault(slots, chosen, scores.data(), ScoreType::kFloat32, 5);
  };
  EXPECT_EQ(fault({3, 1}), "") << "of equal scores any";
  EXPECT_THAT(fault({1, 0}), HasSubstr("not the largest one left"));
  EXPECT_THAT(fault({2, 2}), HasSubstr("twice"));
  EXPECT_THAT(fault({2, 5}), HasSubstr("below 5, got 5"));
  EXPECT_THAT(fault({-1, 2}), HasSubstr("got -1"));
}

TEST(BenchJudge, EveryOutputModeIsTurnedBack) {
  const std::int64_t row = 3;
  for (const IndexMode output : {IndexMode::kRaw, IndexMode::kOffset, IndexMode::kPaged, IndexMode::kDual}) {
    const Cell cell = one_row(output, 200, 2);
    const std::vector<std::int32_t> table = make_page_table(cell.rows, page_columns(cell));
    for (const std::int32_t column : {0, 63, 64, 199}) {
      std::int32_t slot = column;
      if (output == IndexMode::kOffset) slot += out_offset(row);
      if (needs_pages(cell)) {
        const std::int32_t page = table[static_cast<std::size_t>(row * page_columns(cell) + column / kPageSize)];
        slot = page * static_cast<std::int32_t>(kPageSize) + column % static_cast<std::int32_t>(kPageSize);
      }
      EXPECT_THAT(columns_of_slots(cell, row, Columns{slot, -1}), ElementsAre(column, -1));
    }
    EXPECT_THAT(columns_of_slots(cell, row, Columns{1 << 30, -7}), ElementsAre(-2, -2));
  }
}

TEST(BenchJudge, ValuesAndRawIndices) {
  Cell cell = one_row(IndexMode::kDual, 4, 3);
  cell.values = true;
  const RowTruth truth = truth_of({1, 4, 2}, 3);
  RowOutputs outputs;
  for (const std::int32_t column : {1, 2, 0}) {
    outputs.slots.push_back(make_page_table(5, 1)[2] * static_cast<std::int32_t>(kPageSize) + column);
    outputs.raw.push_back(column);
  }
  const std::vector<float> values = {4, 2, 1};
  outputs.values.resize(12);
  std::memcpy(outputs.values.data(), values.data(), 12);
  EXPECT_EQ(outputs_fault(cell, 2, truth, outputs, {}), "");

  RowOutputs other = outputs;
  std::swap(other.raw[0], other.raw[1]);
  EXPECT_THAT(outputs_fault(cell, 2, truth, other, {}), HasSubstr("raw_indices"));
  other = outputs;
  other.values[8] ^= std::byte{1};
  EXPECT_THAT(outputs_fault(cell, 2, truth, other, {}), HasSubstr("value of slot 2"));
}

TEST(BenchJudge, PromisesSayWhatIsJudged) {
  const RowTruth with_nan = truth_of({1, kNan}, 1);
  EXPECT_TRUE(is_judged(with_nan, {}));
  EXPECT_FALSE(is_judged(with_nan, {.nan_lowest = false}));
  EXPECT_TRUE(is_judged(truth_of({1, 2}, 1), {.nan_lowest = false}));
  EXPECT_FALSE(is_judged(truth_of({1, 2}, 1), {.exact = false}));

  const Cell cell = one_row(IndexMode::kRaw, 3, 1);
  const RowTruth ties = truth_of({7, 7, 7}, 1);
  RowOutputs largest;
  largest.slots = {2};
  EXPECT_NE(outputs_fault(cell, 0, ties, largest, {}), "");
  EXPECT_EQ(outputs_fault(cell, 0, ties, largest, {.ties_smallest = false}), "");
}

TEST(BenchJudge, ASecondLookWantsTheSameSlots) {
  RowChecks checks;
  const std::vector<float> scores = {5, 5, 1};
  checks.reset(ScoreType::kFloat32, {3}, 1, [&](std::int64_t, std::int64_t) { return truth_of(scores, 1).scores; });
  Cell cell = one_row(IndexMode::kRaw, 3, 1);
  cell.rows = 1;
  cell.order = SlotOrder::kIndex;
  const auto looks = [&](const Promises& promises) {
    CellVerdict verdict(checks, cell, promises, 8);
    for (const std::int32_t slot : {0, 1}) {
      verdict.look([&](std::int64_t) { return RowOutputs{{slot}, {}, {}}; });
    }
    EXPECT_EQ(verdict.checked_rows(), 1);
    return verdict.first_fault();
  };
  EXPECT_EQ(looks({.ties_smallest = false, .reproducible = false}), "");
  EXPECT_THAT(looks({.ties_smallest = false, .reproducible = true}), HasSubstr("differ from those"));
}

TEST(BenchSample, IsTheInverseOfTheEngine) {
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

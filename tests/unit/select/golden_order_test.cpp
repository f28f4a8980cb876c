// The order of scores, ties, NaN, infinities, the order of slots and masking, by hand.
#include <gtest/gtest.h>

#include "select/golden.hpp"

namespace keysieve::test {
namespace {

TEST(GoldenOrder, IndexOrderIsAscending) {
  expect_answer(one_row({1, 5, 3, 4, 2}, 3), {{{1, 2, 3}}, {3}, 0, {}, {{5, 3, 4}}});
}

TEST(GoldenOrder, ScoreOrderIsDescending) {
  GoldenCall call = one_row({1, 5, 3, 4, 2}, 3);
  call.options.order = SlotOrder::kScore;
  expect_answer(call, {{{1, 3, 2}}, {3}, 0, {}, {{5, 4, 3}}});
}

TEST(GoldenOrder, AnyOrderHasTheSameSet) {
  GoldenCall call = one_row({1, 5, 3, 4, 2}, 3);
  call.options.order = SlotOrder::kAny;
  expect_answer(call, {{{1, 2, 3}}, {3}});
}

TEST(GoldenOrder, AnyOrderKeepsThePaddingBehindTheSlots) {
  GoldenCall call = one_row({7}, 3);
  call.options.order = SlotOrder::kAny;
  call.options.mode = IndexMode::kRaw;
  expect_answer(call, {{{0, -1, -1}}, {1}, 0, {}, {{7, -kInfinity, -kInfinity}}});
}

TEST(GoldenOrder, TiesGoToTheSmallerIndex) {
  expect_answer(one_row({2, 2, 1, 2, 3}, 3), {{{0, 1, 4}}, {3}, 0, {}, {{2, 2, 3}}});
}

TEST(GoldenOrder, TiesGoToTheLargerIndexWhenAsked) {
  GoldenCall call = one_row({2, 2, 1, 2, 3}, 3);
  call.options.ties = Ties::kLargest;
  expect_answer(call, {{{1, 3, 4}}, {3}});
}

TEST(GoldenOrder, ScoreOrderIsAscendingInsideTiesWhicheverTiesWin) {
  GoldenCall call = one_row({2, 2, 1, 2, 3}, 3);
  call.options.order = SlotOrder::kScore;
  expect_answer(call, {{{4, 0, 1}}, {3}});
  call.options.ties = Ties::kLargest;
  expect_answer(call, {{{4, 1, 3}}, {3}});
}

TEST(GoldenOrder, AnyTiesAreFreeOnlyAtTheBoundary) {
  GoldenCall call = one_row({2, 2, 1, 2, 3}, 4);  // the boundary falls between 2 and 1: nothing is free
  call.options.ties = Ties::kAny;
  expect_answer(call, {{{0, 1, 3, 4}}, {4}});
}

TEST(GoldenOrder, ConstantRowKeepsTheFirstColumns) {
  expect_answer(one_row(std::vector<double>(9, 0.5), 4), {{{0, 1, 2, 3}}, {4}});
  GoldenCall largest = one_row(std::vector<double>(9, 0.5), 4);
  largest.options.ties = Ties::kLargest;
  expect_answer(largest, {{{5, 6, 7, 8}}, {4}});
}

TEST(GoldenOrder, NanIsBelowNegativeInfinity) {
  const std::vector<double> scores = {kNan, -kInfinity, 1, -kNan, 2};
  expect_answer(one_row(scores, 3), {{{1, 2, 4}}, {3}, 0, {}, {{-kInfinity, 1, 2}}});
  expect_answer(one_row(scores, 4), {{{0, 1, 2, 4}}, {4}, 0, {}, {{kNan, -kInfinity, 1, 2}}});
  GoldenCall by_score = one_row(scores, 5);
  by_score.options.order = SlotOrder::kScore;
  expect_answer(by_score, {{{4, 2, 1, 0, 3}}, {5}, 0, {}, {{2, 1, -kInfinity, kNan, kNan}}});
}

TEST(GoldenOrder, NanIsAboveInfinityWhenAsked) {
  GoldenCall call = one_row({kNan, kInfinity, 1, -kNan, 2}, 1);
  call.options.nan_policy = NanPolicy::kHighest;
  expect_answer(call, {{{0}}, {1}, 0, {}, {{kNan}}});
  call.options.k = 3;
  expect_answer(call, {{{0, 1, 3}}, {3}});
  call.options.k = 5;
  call.options.order = SlotOrder::kScore;
  expect_answer(call, {{{0, 3, 1, 4, 2}}, {5}});
}

TEST(GoldenOrder, AllNanRowIsFilledInIndexOrder) {
  expect_answer(one_row({kNan, -kNan, kNan, -kNan}, 2), {{{0, 1}}, {2}, 0, {}, {{kNan, kNan}}});
}

TEST(GoldenOrder, NegativeZeroEqualsPositiveZero) {
  expect_answer(one_row({-0.0, 0.0, -1, 0.0}, 2), {{{0, 1}}, {2}, 0, {}, {{-0.0, 0.0}}});
  GoldenCall largest = one_row({-1, 0.0, -1, -0.0}, 1);
  largest.options.ties = Ties::kLargest;
  expect_answer(largest, {{{3}}, {1}, 0, {}, {{-0.0}}});
}

TEST(GoldenOrder, ZeroSitsBetweenTheSmallestSubnormals) {
  const double tiny = 0x1p-149;
  expect_answer(one_row({-tiny, 0, tiny, 0}, 1), {{{2}}, {1}, 0, {}, {{tiny}}});
  expect_answer(one_row({-tiny, 0, tiny, 0}, 3), {{{1, 2, 3}}, {3}});
}

TEST(GoldenOrder, InfinitiesAreOrdinaryScores) {
  const double large = 3e38;
  expect_answer(one_row({kInfinity, large, -kInfinity, -large, kInfinity}, 3), {{{0, 1, 4}}, {3}});
  expect_answer(one_row({kInfinity, large, -kInfinity, -large, kInfinity}, 4), {{{0, 1, 3, 4}}, {4}});
  expect_answer(one_row({-kInfinity, 3, -kInfinity, -kInfinity}, 3), {{{0, 1, 2}}, {3}});
}

TEST(GoldenOrder, LowestFiniteValueBeatsNegativeInfinity) {
  expect_answer(one_row({-kInfinity, -3.4028234663852886e38}, 1), {{{1}}, {1}});
}

TEST(GoldenOrder, SixteenBitScoresOrderAsTheirValues) {
  for (const ScoreType type : {ScoreType::kBFloat16, ScoreType::kFloat16}) {
    GoldenCall call = one_row({-3.5, -1.5, -7.5, 0.5, -2.5, -0.0, kNan, -kInfinity}, 4);
    call.options.score_type = type;
    expect_answer(call, {{{1, 3, 4, 5}}, {4}, 0, {}, {{-1.5, 0.5, -2.5, -0.0}}});
    call.options.k = 8;
    call.options.order = SlotOrder::kScore;
    expect_answer(call, {{{3, 5, 1, 4, 0, 2, 7, 6}}, {8}});
  }
}

TEST(GoldenOrder, NeighbouringFloatsAreTold) {
  expect_answer(one_row({1.0, 1.0 + 0x1p-23, 1.0, 1.0 + 0x1p-22}, 2), {{{1, 3}}, {2}});
}

TEST(GoldenMask, NegativeInfinityAndNanAreAbsent) {
  GoldenCall call = one_row({-kInfinity, kNan, 1, -kInfinity, 2, -kNan}, 4);
  call.options.mask_neg_inf = 1;
  expect_answer(call, {{{2, 4, -1, -1}}, {2}, 0, {}, {{1, 2, -kInfinity, -kInfinity}}});
}

TEST(GoldenMask, AppliesWhereTheRowIsShorterThanK) {
  GoldenCall call = one_row({3, -kInfinity, 1}, 5);
  call.options.mask_neg_inf = 1;
  expect_answer(call, {{{0, 2, -1, -1, -1}}, {2}});
  call.options.order = SlotOrder::kScore;
  expect_answer(call, {{{0, 2, -1, -1, -1}}, {2}});
}

TEST(GoldenMask, NanIsAbsentUnderEitherPolicy) {
  GoldenCall call = one_row({kNan, 4, kInfinity}, 2);
  call.options.mask_neg_inf = 1;
  call.options.nan_policy = NanPolicy::kHighest;
  expect_answer(call, {{{1, 2}}, {2}});
}

TEST(GoldenMask, AllMaskedRowIsAllPadding) {
  GoldenCall call = one_row({kNan, -kInfinity, -kInfinity}, 2);
  call.options.mask_neg_inf = 1;
  expect_answer(call, {{{-1, -1}}, {0}, 0, {}, {{-kInfinity, -kInfinity}}});
}

TEST(GoldenMask, OffByDefault) { expect_answer(one_row({-kInfinity, kNan}, 3), {{{0, 1, -1}}, {2}}); }

}  // namespace
}  // namespace keysieve::test

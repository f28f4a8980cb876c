// Lengths, starts, ends, padding, k against n, by hand.
#include <gtest/gtest.h>

#include "select/golden.hpp"

namespace keysieve::test {
namespace {

// Rows of {0, 1, .., width-1}: the best columns are the last ones of a window.
GoldenCall ascending(std::int64_t rows, int width, std::int64_t k) {
  GoldenCall call;
  std::vector<double> row;
  for (int column = 0; column < width; ++column) row.push_back(column);
  call.scores.assign(static_cast<std::size_t>(rows), row);
  call.options.k = k;
  return call;
}

TEST(GoldenWindow, LengthHidesTheTail) {
  GoldenCall call = one_row({1, 4, 2, kInfinity, kNan}, 2);
  call.lengths = Ints{3};
  expect_answer(call, {{{1, 2}}, {2}, 0, {}, {{4, 2}}});
}

TEST(GoldenWindow, IndicesCountFromTheStart) {
  GoldenCall call = one_row({9, 1, 3, 2, 9}, 2);
  call.starts = Ints{1};
  call.lengths = Ints{3};
  expect_answer(call, {{{1, 2}}, {2}, 0, {}, {{3, 2}}});
}

TEST(GoldenWindow, EndsGiveTheSameAsLengths) {
  GoldenCall call = one_row({9, 1, 3, 2, 9}, 2);
  call.starts = Ints{1};
  call.ends = Ints{4};
  expect_answer(call, {{{1, 2}}, {2}});
}

TEST(GoldenWindow, EndsWithoutStartsCountFromZero) {
  GoldenCall call = ascending(3, 4, 2);
  call.ends = Ints{0, 1, 3};
  expect_answer(call, {{{-1, -1}, {0, -1}, {1, 2}}, {0, 1, 2}});
}

TEST(GoldenWindow, StartWithoutLengthsReachesTheEnd) {
  GoldenCall call = ascending(3, 4, 2);
  call.starts = Ints{0, 3, 4};
  expect_answer(call,
                {{{2, 3}, {0, -1}, {-1, -1}}, {2, 1, 0}, 0, {}, {{2, 3}, {3, -kInfinity}, {-kInfinity, -kInfinity}}});
}

TEST(GoldenWindow, StartOutsideMakesTheRowEmpty) {
  for (const std::int32_t start : {-1, 5, kMinInt32, kMaxInt32}) {
    SCOPED_TRACE(start);
    GoldenCall call = ascending(2, 4, 2);
    call.starts = Ints{start, 0};
    expect_answer(call, {{{-1, -1}, {2, 3}}, {0, 2}, kErrorStartOutside});
  }
}

TEST(GoldenWindow, StartAtTheWidthIsEmptyAndNoError) {
  GoldenCall call = ascending(1, 4, 2);
  call.starts = Ints{4};
  call.lengths = Ints{0};
  expect_answer(call, {{{-1, -1}}, {0}, 0});
}

TEST(GoldenWindow, LengthsAreSignedAndClamped) {
  for (const std::int32_t length : {-1, -4, kMinInt32}) {
    SCOPED_TRACE(length);
    GoldenCall call = ascending(1, 4, 2);
    call.lengths = Ints{length};
    expect_answer(call, {{{-1, -1}}, {0}, kErrorLengthClamped, {}, {{-kInfinity, -kInfinity}}});
  }
  for (const std::int32_t length : {5, kMaxInt32}) {
    SCOPED_TRACE(length);
    GoldenCall call = ascending(1, 4, 2);
    call.lengths = Ints{length};
    expect_answer(call, {{{2, 3}}, {2}, kErrorLengthClamped});
  }
}

TEST(GoldenWindow, LengthPastTheEndOfTheBufferIsClampedToTheRoom) {
  GoldenCall call = ascending(1, 4, 3);
  call.starts = Ints{2};
  call.lengths = Ints{3};
  expect_answer(call, {{{0, 1, -1}}, {2}, kErrorLengthClamped});
  call.lengths = Ints{2};
  expect_answer(call, {{{0, 1, -1}}, {2}, 0});
  call.lengths = Ints{kMaxInt32};  // start + length does not fit 32 bits
  expect_answer(call, {{{0, 1, -1}}, {2}, kErrorLengthClamped});
}

TEST(GoldenWindow, EndBeforeTheStartIsEmpty) {
  GoldenCall call = ascending(2, 4, 1);
  call.starts = Ints{3, 1};
  call.ends = Ints{1, kMinInt32};  // end - start does not fit 32 bits
  expect_answer(call, {{{-1}, {-1}}, {0, 0}, kErrorLengthClamped});
}

TEST(GoldenWindow, ZeroLengthIsNoError) {
  GoldenCall call = ascending(1, 4, 2);
  call.lengths = Ints{0};
  expect_answer(call, {{{-1, -1}}, {0}, 0});
}

TEST(GoldenWindow, TwoDimensionalLengthsGoByRequestAndDraft) {
  GoldenCall call = ascending(4, 5, 2);
  call.next_n = 2;
  call.lengths = Ints{1, 2, 4, 5};
  expect_answer(call, {{{0, -1}, {0, 1}, {2, 3}, {3, 4}}, {1, 2, 2, 2}});
}

TEST(GoldenWindow, LengthsMayBeStrided) {
  GoldenCall call = ascending(4, 5, 2);
  call.next_n = 2;
  call.lengths = Ints{1, 99, 2, 99, 99, 4, 99, 5};
  call.length_request_stride = 5;
  call.length_row_stride = 2;
  expect_answer(call, {{{0, -1}, {0, 1}, {2, 3}, {3, 4}}, {1, 2, 2, 2}});
}

TEST(GoldenWindow, OneLengthMayServeAllDraftsOfARequest) {
  GoldenCall call = ascending(4, 5, 2);
  call.next_n = 2;
  call.lengths = Ints{1, 4};
  call.length_request_stride = 1;
  call.length_row_stride = 0;
  expect_answer(call, {{{0, -1}, {0, -1}, {2, 3}, {2, 3}}, {1, 1, 2, 2}});
}

TEST(GoldenWindow, KAroundTheRowLength) {
  expect_answer(ascending(1, 4, 3), {{{1, 2, 3}}, {3}});
  expect_answer(ascending(1, 4, 4), {{{0, 1, 2, 3}}, {4}});
  expect_answer(ascending(1, 4, 5), {{{0, 1, 2, 3, -1}}, {4}, 0, {}, {{0, 1, 2, 3, -kInfinity}}});
  expect_answer(ascending(1, 1, 1), {{{0}}, {1}});
}

TEST(GoldenWindow, ShortRowKeepsTheScoreOrder) {
  GoldenCall call = one_row({2, 3, 1}, 5);
  call.options.order = SlotOrder::kScore;
  expect_answer(call, {{{1, 0, 2, -1, -1}}, {3}, 0, {}, {{3, 2, 1, -kInfinity, -kInfinity}}});
}

TEST(GoldenWindow, NoRowsIsAnOrdinaryCall) {
  GoldenCall call;
  call.options.k = 3;
  expect_answer(call, {});
}

TEST(GoldenWindow, NoColumnsGivePaddingOnly) {
  GoldenCall call;
  call.scores.assign(2, {});
  call.options.k = 3;
  expect_answer(call, {{{-1, -1, -1}, {-1, -1, -1}}, {0, 0}});
  call.lengths = Ints{0, 1};
  expect_answer(call, {{{-1, -1, -1}, {-1, -1, -1}}, {0, 0}, kErrorLengthClamped});
}

TEST(GoldenWindow, SixtyFourBitIndicesHoldTheSame) {
  GoldenCall call = ascending(1, 4, 5);
  call.options.index_type = IndexType::kInt64;
  expect_answer(call, {{{0, 1, 2, 3, -1}}, {4}});
}

}  // namespace
}  // namespace keysieve::test

// Offsets, pages, bad pages and the bits of the error word, by hand.
#include <gtest/gtest.h>

#include "select/golden.hpp"

namespace keysieve::test {
namespace {

GoldenCall paged(std::vector<std::vector<double>> scores, std::int64_t k, std::vector<Ints> table,
                 std::int64_t page_size) {
  GoldenCall call;
  call.scores = std::move(scores);
  call.options.k = k;
  call.options.mode = IndexMode::kPaged;
  call.table = std::move(table);
  call.page_size = page_size;
  return call;
}

TEST(GoldenOffset, IsAddedPerRow) {
  GoldenCall call;
  call.scores = {{1, 3, 2}, {3, 1, 2}};
  call.options.k = 2;
  call.options.mode = IndexMode::kOffset;
  call.offsets = Ints{100, 2000};
  expect_answer(call, {{{101, 102}, {2000, 2002}}, {2, 2}});
}

TEST(GoldenOffset, PaddingStaysMinusOne) {
  GoldenCall call = one_row({5}, 3);
  call.options.mode = IndexMode::kOffset;
  call.offsets = Ints{10};
  expect_answer(call, {{{10, -1, -1}}, {1}});
}

TEST(GoldenOffset, ResultPastInt32IsMinusOneAndFlagged) {
  GoldenCall call = one_row({3, 2, 1}, 3);
  call.options.mode = IndexMode::kOffset;
  call.offsets = Ints{kMaxInt32 - 1};
  expect_answer(call, {{{kMaxInt32 - 1, kMaxInt32, -1}}, {3}, kErrorIndexOverflow, {}, {{3, 2, 1}}});
  call.options.index_type = IndexType::kInt64;
  expect_answer(call, {{{kMaxInt32 - 1, kMaxInt32, std::int64_t{kMaxInt32} + 1}}, {3}, 0});
}

TEST(GoldenPaged, PageTimesSizePlusRemainder) {
  expect_answer(paged({{1, 6, 2, 5, 3, 4}}, 3, {{5, 3, 7}}, 2), {{{11, 7, 15}}, {3}, 0, {}, {{6, 5, 4}}});
  expect_answer(paged({{1, 6, 2, 5, 3, 4}}, 3, {{5, 3}}, 3), {{{16, 9, 11}}, {3}});
}

TEST(GoldenPaged, PageSizeOneIsATokenTable) {
  expect_answer(paged({{1, 3, 2}}, 2, {{70, 80, 90}}, 1), {{{80, 90}}, {2}});
}

TEST(GoldenPaged, PositionsCountFromTheWindow) {
  GoldenCall call = paged({{9, 9, 1, 2, 3}}, 2, {{4, 8}}, 2);
  call.starts = Ints{2};
  call.lengths = Ints{3};
  expect_answer(call, {{{9, 16}}, {2}});
}

TEST(GoldenPaged, PaddingStaysMinusOne) {
  GoldenCall call = paged({{1, 2}}, 4, {{3}}, 2);
  expect_answer(call, {{{6, 7, -1, -1}}, {2}});
}

TEST(GoldenPaged, OneLinePerRow) { expect_answer(paged({{1, 2}, {1, 2}}, 1, {{3}, {5}}, 2), {{{7}, {11}}, {1, 1}}); }

TEST(GoldenPaged, OneLinePerRequest) {
  GoldenCall call = paged({{1, 2}, {2, 1}, {1, 2}, {2, 1}}, 1, {{3}, {5}}, 2);
  call.next_n = 2;
  call.lengths = Ints{2, 2, 2, 2};
  expect_answer(call, {{{7}, {6}, {11}, {10}}, {1, 1, 1, 1}});
}

TEST(GoldenPaged, RowToTablePicksTheLine) {
  GoldenCall call = paged({{1, 2}, {1, 2}, {1, 2}}, 1, {{3}, {5}}, 2);
  call.row_to_table = Ints{1, 0, 1};
  expect_answer(call, {{{11}, {7}, {11}}, {1, 1, 1}});
}

TEST(GoldenPaged, RowToTableMinusOneIsAnEmptyRow) {
  GoldenCall call = paged({{1, 2}, {1, 2}}, 2, {{3}}, 2);
  call.row_to_table = Ints{-1, 0};
  expect_answer(call, {{{-1, -1}, {6, 7}}, {0, 2}, 0, {}, {{-kInfinity, -kInfinity}, {1, 2}}});
}

TEST(GoldenPaged, RowToTableOutsideIsABadPageInEverySlot) {
  for (const std::int32_t line : {1, 2, kMaxInt32, -2, kMinInt32}) {
    SCOPED_TRACE(line);
    GoldenCall call = paged({{1, 2}}, 3, {{3}}, 2);
    call.row_to_table = Ints{line};
    expect_answer(call, {{{-1, -1, -1}}, {2}, kErrorBadPage, {}, {{1, 2, -kInfinity}}});
  }
}

TEST(GoldenPaged, NegativePageSpoilsItsSlotAlone) {
  expect_answer(paged({{4, 3, 2, 1}}, 4, {{0, -7}}, 2), {{{0, 1, -1, -1}}, {4}, kErrorBadPage, {}, {{4, 3, 2, 1}}});
  GoldenCall before = paged({{4, 3, 2, 1}}, 4, {{kMinInt32, 9}}, 2);
  expect_answer(before, {{{-1, -1, 18, 19}}, {4}, kErrorBadPage});
}

TEST(GoldenPaged, LargePageIsBadOnlyWhereTheCountIsKnown) {
  GoldenCall call = paged({{4, 3, 2, 1}}, 4, {{9, 10}}, 2);
  expect_answer(call, {{{18, 19, 20, 21}}, {4}, 0});
  call.num_pages = 10;
  expect_answer(call, {{{18, 19, -1, -1}}, {4}, kErrorBadPage});
  call.num_pages = 0;
  expect_answer(call, {{{-1, -1, -1, -1}}, {4}, kErrorBadPage});
}

TEST(GoldenPaged, NarrowTableSpoilsWhatItDoesNotCover) {
  expect_answer(paged({{1, 2, 3, 4, 5}}, 3, {{8, 9}}, 2), {{{18, 19, -1}}, {3}, kErrorBadPage});
  GoldenCall narrow_but_unused = paged({{5, 4, 3, 2, 1}}, 3, {{8, 9}}, 2);
  expect_answer(narrow_but_unused, {{{16, 17, 18}}, {3}, 0});
}

TEST(GoldenPaged, BadPageThatNoSlotUsesIsNoError) {
  expect_answer(paged({{4, 3, 2, 1}}, 2, {{6, -1}}, 2), {{{12, 13}}, {2}, 0});
}

TEST(GoldenPaged, ResultPastInt32IsMinusOneAndFlagged) {
  // 2^30 pages of 2 slots: the last int32 slot is the second one of page 2^30 - 1.
  GoldenCall call = paged({{4, 3, 2, 1}}, 4, {{(1 << 30) - 1, 1 << 30}}, 2);
  expect_answer(call, {{{kMaxInt32 - 1, kMaxInt32, -1, -1}}, {4}, kErrorIndexOverflow});
  call.options.index_type = IndexType::kInt64;
  const std::int64_t next = std::int64_t{kMaxInt32} + 1;
  expect_answer(call, {{{kMaxInt32 - 1, kMaxInt32, next, next + 1}}, {4}, 0});
}

TEST(GoldenPaged, LargestPageOfTheLargestSizeDoesNotWrap) {
  GoldenCall call = paged({{2, 1}}, 2, {{kMaxInt32}}, kMaxInt32);
  expect_answer(call, {{{-1, -1}}, {2}, kErrorIndexOverflow});
  call.options.index_type = IndexType::kInt64;
  const std::int64_t first = std::int64_t{kMaxInt32} * kMaxInt32;
  expect_answer(call, {{{first, first + 1}}, {2}, 0});
}

TEST(GoldenPaged, ScoreOrderGoesThroughTheTable) {
  GoldenCall call = paged({{1, 6, 2, 5, 3, 4}}, 3, {{5, 3, 7}}, 2);
  call.options.order = SlotOrder::kScore;
  expect_answer(call, {{{11, 7, 15}}, {3}, 0, {}, {{6, 5, 4}}});
}

TEST(GoldenDual, WritesSlotAndPositionInTheSameSlots) {
  GoldenCall call = paged({{1, 6, 2, 5, 3, 4}, {9, 8, 7, 0, 0, 0}}, 3, {{5, 3, 7}, {1, 0, 2}}, 2);
  call.options.mode = IndexMode::kDual;
  expect_answer(call, {{{11, 7, 15}, {2, 3, 0}}, {3, 3}, 0, {{1, 3, 5}, {0, 1, 2}}});
}

TEST(GoldenDual, BadPageLeavesThePositionAlone) {
  GoldenCall call = paged({{4, 3, 2, 1}}, 5, {{-1, 6}}, 2);
  call.options.mode = IndexMode::kDual;
  expect_answer(call, {{{-1, -1, 12, 13, -1}}, {4}, kErrorBadPage, {{0, 1, 2, 3, -1}}, {{4, 3, 2, 1, -kInfinity}}});
}

TEST(GoldenDual, EmptyRowIsMinusOneInBoth) {
  GoldenCall call = paged({{4, 3}}, 2, {{5}}, 2);
  call.options.mode = IndexMode::kDual;
  call.row_to_table = Ints{-1};
  expect_answer(call, {{{-1, -1}}, {0}, 0, {{-1, -1}}});
}

TEST(GoldenErrors, NanIsReportedOnlyWhenChecked) {
  GoldenCall call = one_row({1, kNan, 3}, 1);
  expect_answer(call, {{{2}}, {1}, 0});
  call.options.check_nan = 1;
  expect_answer(call, {{{2}}, {1}, kErrorNanSeen});
  call.lengths = Ints{1};  // the NaN is no longer live
  expect_answer(call, {{{0}}, {1}, 0});
}

TEST(GoldenErrors, NanIsReportedWhereTheRowIsShorterThanK) {
  GoldenCall call = one_row({1, -kNan}, 4);
  call.options.check_nan = 1;
  expect_answer(call, {{{0, 1, -1, -1}}, {2}, kErrorNanSeen});
  call.options.mask_neg_inf = 1;
  expect_answer(call, {{{0, -1, -1, -1}}, {1}, kErrorNanSeen});
}

TEST(GoldenErrors, BitsOfAllRowsAreCollected) {
  GoldenCall call = paged({{2, 1}, {2, 1}, {2, 1}, {2, kNan}}, 1, {{-1}, {0}, {0}, {1 << 30}}, 2);
  call.lengths = Ints{2, -3, 2, 2};
  call.starts = Ints{0, 0, 7, 0};
  call.options.check_nan = 1;
  expect_answer(call, {{{-1}, {-1}, {-1}, {-1}},
                       {1, 0, 0, 1},
                       kErrorBadPage | kErrorLengthClamped | kErrorStartOutside | kErrorIndexOverflow | kErrorNanSeen});
}

}  // namespace
}  // namespace keysieve::test

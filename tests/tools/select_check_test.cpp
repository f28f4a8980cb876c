#include "cli/select_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace keysieve::cli {
namespace {

using ::testing::HasSubstr;

// Two rows of eight scores with ties, selected by the reference, and a copy to spoil.
class SelectCheck : public ::testing::Test {
 protected:
  SelectCheck() {
    problem_.backend = Backend::kReference;
    problem_.rows = 2;
    problem_.width = 8;
    problem_.k = 4;
  }

  void select() {
    args_.scores = scores_;
    if (problem_.mode == IndexMode::kDual) {
      args_.page_table = table_;
      args_.page_table_rows = 2;
      args_.page_table_columns = 2;
      args_.page_size = 4;
    }
    expected_.prepare(problem_, true, std::byte{0x11});
    Runner().run(make_plan(problem_), args_, expected_);
    got_ = expected_;
  }

  void put(std::vector<std::byte>& buffer, std::size_t slot, std::int32_t value) {
    std::memcpy(buffer.data() + slot * 4, &value, 4);
  }

  void put_value(std::size_t slot, float value) { std::memcpy(got_.values.data() + slot * 4, &value, 4); }

  CheckReport compare() {
    CheckReport report;
    compare_batch(problem_, args_, got_, expected_, 100, report);
    EXPECT_EQ(report.rows_checked, 2);
    return report;
  }

  // Row 0 selects 1, 2, 4, 6 and row 1 selects 0, 1, 2, 3 (all equal).
  const float scores_[16] = {0, 5, 3, 1, 9, 3, 3, 2, 7, 7, 7, 7, 7, 7, 7, 7};
  const std::int32_t table_[4] = {1, 0, 3, 2};
  SelectProblem problem_;
  SelectArgs args_;
  Outputs expected_, got_;
};

TEST_F(SelectCheck, EqualOutputsPass) {
  select();
  EXPECT_TRUE(compare().ok());
}

TEST_F(SelectCheck, EveryOutputIsCompared) {
  problem_.mode = IndexMode::kDual;
  select();
  put(got_.indices, 5, 99);
  EXPECT_EQ(compare().first_row, 101);
  EXPECT_THAT(compare().first_fault, HasSubstr("slot 1 of indices"));
  got_ = expected_;
  put(got_.raw_indices, 0, 99);
  EXPECT_THAT(compare().first_fault, HasSubstr("slot 0 of raw indices: expected 1, found 99"));
  got_ = expected_;
  put_value(3, 42);
  EXPECT_THAT(compare().first_fault, HasSubstr("slot 3 of values"));
  got_ = expected_;
  got_.counts[1] = 3;
  EXPECT_THAT(compare().first_fault, HasSubstr("counts: expected 4, found 3"));
  got_ = expected_;
  got_.error_word = kErrorBadPage;
  EXPECT_THAT(compare().first_fault, HasSubstr("error word"));
}

TEST_F(SelectCheck, CountsAllWrongRowsAndNamesTheFirst) {
  select();
  put(got_.indices, 0, 7);
  put(got_.indices, 7, 7);
  const CheckReport report = compare();
  EXPECT_EQ(report.rows_wrong, 2);
  EXPECT_EQ(report.first_row, 100);
}

TEST_F(SelectCheck, OrderCountsUnlessItIsAny) {
  select();
  std::swap_ranges(got_.indices.begin(), got_.indices.begin() + 4, got_.indices.begin() + 4);
  std::swap_ranges(got_.values.begin(), got_.values.begin() + 4, got_.values.begin() + 4);
  EXPECT_FALSE(compare().ok());
  problem_.order = SlotOrder::kAny;
  EXPECT_TRUE(compare().ok());
  put(got_.indices, 0, 0);  // another set is wrong in any order
  EXPECT_FALSE(compare().ok());
}

TEST_F(SelectCheck, PaddingAmongTheChosenIsNotSortedAway) {
  problem_.order = SlotOrder::kAny;
  const std::int32_t lengths[2] = {2, 8};
  args_.lengths = lengths;
  select();  // row 0: 0, 1, -1, -1
  put(got_.indices, 0, -1);
  put(got_.indices, 2, 0);
  EXPECT_FALSE(compare().ok());
}

TEST_F(SelectCheck, AnyTiesTakesOtherEqualScoresOnly) {
  problem_.ties = Ties::kAny;
  select();
  for (std::size_t slot = 0; slot < 4; ++slot) put(got_.indices, 4 + slot, static_cast<std::int32_t>(slot) + 4);
  EXPECT_TRUE(compare().ok());
  problem_.ties = Ties::kSmallest;
  EXPECT_FALSE(compare().ok()) << "the smallest index is a promise without ties any";
  problem_.ties = Ties::kAny;
  put(got_.indices, 4, 5);
  EXPECT_FALSE(compare().ok()) << "a position twice";
  put(got_.indices, 4, 8);
  EXPECT_FALSE(compare().ok()) << "a position outside the row";
  got_ = expected_;
  put(got_.indices, 0, 0);
  EXPECT_FALSE(compare().ok()) << "a position whose score is not the value";
  put_value(0, 0);
  EXPECT_FALSE(compare().ok()) << "a smaller score";
}

TEST_F(SelectCheck, AnyTiesKeepsTheOrderOfSlots) {
  problem_.ties = Ties::kAny;
  select();
  put(got_.indices, 4, 7);
  EXPECT_FALSE(compare().ok()) << "7 before 1 is not ascending";
}

}  // namespace
}  // namespace keysieve::cli

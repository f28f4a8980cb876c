// Calls that must be refused, and calls around the edges of the argument rules.
#include <gtest/gtest.h>

#include <cstring>

#include "select/golden.hpp"
#include "select/routes.hpp"

namespace keysieve::test {
namespace {

// A good call on 2 x 4 scores, k = 2, that each test spoils in one place.
class RefusedCall : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    problem_.backend = GetParam();
    problem_.rows = 2;
    problem_.width = 4;
    problem_.k = 2;
    std::memset(indices_, 0x5A, sizeof indices_);
    std::memset(raw_, 0x5A, sizeof raw_);
    std::memset(values_, 0x5A, sizeof values_);
    args_.scores = scores_;
    args_.indices = indices_;
    args_.values = values_;
  }

  Status run_now() {
    SelectPlan plan;
    if (Status status = try_make_plan(problem_, plan); !status.ok()) return status;
    workspace_.assign(static_cast<std::size_t>(plan.workspace_bytes), std::byte{0x5A});
    args_.workspace = workspace_.data();
    args_.workspace_bytes = plan.workspace_bytes + workspace_change_;
    return try_run(plan, args_);
  }

  // Refused, with a message that names `argument`, and nothing written.
  void expect_refused(const std::string& argument) {
    const Status status = run_now();
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status.message();
    EXPECT_NE(status.message().find(argument), std::string::npos) << status.message();
    for (const void* output :
         {static_cast<const void*>(indices_), static_cast<const void*>(raw_), static_cast<const void*>(values_)}) {
      const auto* bytes = static_cast<const unsigned char*>(output);
      for (std::size_t i = 0; i < sizeof indices_; ++i) ASSERT_EQ(bytes[i], 0x5A) << "a refused call has written";
    }
  }

  SelectProblem problem_;
  SelectArgs args_;
  float scores_[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::int32_t lengths_[2] = {4, 4}, offsets_[2] = {0, 0}, table_[2] = {0, 1};
  std::int32_t indices_[4], raw_[4];
  float values_[4];
  std::vector<std::byte> workspace_;
  std::int64_t workspace_change_ = 0;
};

TEST_P(RefusedCall, TheUnspoiledCallRuns) {
  const Status status = run_now();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(indices_[3], 3);
}

TEST_P(RefusedCall, KOfZero) {
  problem_.k = 0;
  expect_refused("k: expected 1..");
}
TEST_P(RefusedCall, NegativeK) {
  problem_.k = -1;
  expect_refused("k: expected 1..");
}
TEST_P(RefusedCall, NegativeRows) {
  problem_.rows = -1;
  expect_refused("rows");
}
TEST_P(RefusedCall, WidthPastTheLimit) {
  problem_.width = std::int64_t{1} << 31;
  expect_refused("width");
}
TEST_P(RefusedCall, UnknownScoreType) {
  problem_.score_type = static_cast<ScoreType>(9);
  expect_refused("score_type");
}
TEST_P(RefusedCall, UnknownOrder) {
  problem_.order = static_cast<SlotOrder>(-3);
  expect_refused("order");
}
TEST_P(RefusedCall, NoScores) {
  args_.scores = nullptr;
  expect_refused("scores");
}
TEST_P(RefusedCall, NoIndices) {
  args_.indices = nullptr;
  expect_refused("indices");
}
TEST_P(RefusedCall, LengthsAndEndsTogether) {
  args_.lengths = lengths_;
  args_.row_ends = lengths_;
  expect_refused("row_ends");
}
TEST_P(RefusedCall, NextNThatDoesNotDivideTheRows) {
  args_.next_n = 3;
  expect_refused("next_n");
}
TEST_P(RefusedCall, NextNOfZero) {
  args_.next_n = 0;
  expect_refused("next_n");
}
TEST_P(RefusedCall, RowStrideBelowTheWidth) {
  args_.score_row_stride = 3;
  expect_refused("score_row_stride");
}
TEST_P(RefusedCall, OutputStrideBelowK) {
  args_.indices_row_stride = 1;
  expect_refused("indices_row_stride");
}
TEST_P(RefusedCall, OffsetModeWithoutOffsets) {
  problem_.mode = IndexMode::kOffset;
  expect_refused("out_offsets");
}
TEST_P(RefusedCall, DualModeWithoutRawIndices) {
  problem_.mode = IndexMode::kDual;
  args_.page_table = table_;
  args_.page_table_rows = 2;
  args_.page_table_columns = 1;
  args_.page_size = 4;
  expect_refused("raw_indices");
}
TEST_P(RefusedCall, PageSizeOfZero) {
  problem_.mode = IndexMode::kPaged;
  args_.page_table = table_;
  args_.page_table_rows = 2;
  args_.page_table_columns = 1;
  args_.page_size = 0;
  expect_refused("page_size");
}
TEST_P(RefusedCall, PageTableOfAnotherRowCount) {
  problem_.mode = IndexMode::kPaged;
  args_.page_table = table_;
  args_.page_table_rows = 1;
  args_.page_table_columns = 2;
  args_.page_size = 4;
  expect_refused("page_table");
}
TEST_P(RefusedCall, WorkspaceOneByteShort) {
  problem_.threads = 2;  // the reference needs none, and has nothing to be short of
  SelectPlan plan;
  ASSERT_TRUE(try_make_plan(problem_, plan).ok());
  if (plan.workspace_bytes == 0) GTEST_SKIP() << "this backend needs no workspace";
  workspace_change_ = -1;
  expect_refused("workspace");
}
TEST_P(RefusedCall, OutputOnTopOfAnInput) {
  args_.indices = scores_ + 6;
  expect_refused("indices");
  EXPECT_EQ(scores_[6], 7.0f);
}
TEST_P(RefusedCall, TwoOutputsInOnePlace) {
  args_.values = indices_;
  expect_refused("overlap");
}

INSTANTIATE_TEST_SUITE_P(Backends, RefusedCall, testing::Values(Backend::kReference, Backend::kCpu),
                         [](const auto& instance) {
                           return instance.param == Backend::kReference ? "reference" : "cpu";
                         });

TEST(GoldenCall, KPastTheWidthIsOrdinary) {
  GoldenCall call = one_row({2, 1}, 1000);
  std::vector<std::int64_t> indices(1000, -1);
  indices[0] = 0;
  indices[1] = 1;
  expect_answer(call, {{indices}, {2}});
}

TEST(GoldenCall, PlanSaysTheSameEveryTime) {
  SelectProblem problem;
  problem.rows = 7;
  problem.width = 5000;
  problem.k = 100;
  for (const RunSetup& setup : cpu_setups()) {
    problem.backend = setup.backend;
    problem.route = setup.route;
    problem.threads = setup.threads;
    const SelectPlan plan = make_plan(problem);
    EXPECT_EQ(plan, make_plan(problem));
    EXPECT_EQ(plan.route, setup.route);
    EXPECT_EQ(plan.runnable, 1);
    EXPECT_FALSE(describe(plan).empty());
  }
}

// One arena serves every captured size: more of anything never needs fewer bytes.
TEST(GoldenCall, WorkspaceIsMonotoneInRowsWidthAndK) {
  for (const RunSetup& setup : cpu_setups()) {
    const auto bytes = [&setup](std::int64_t rows, std::int64_t width, std::int64_t k) {
      SelectProblem problem;
      problem.backend = setup.backend;
      problem.route = setup.route;
      problem.threads = setup.threads;
      problem.rows = rows;
      problem.width = width;
      problem.k = k;
      return make_plan(problem).workspace_bytes;
    };
    const std::int64_t sizes[] = {1, 2, 3, 7, 8, 64, 100, 1000, 4096, 65537, 1000003};
    for (std::size_t i = 1; i < std::size(sizes); ++i) {
      for (const std::int64_t other : {1, 50, 5000, 200000}) {
        EXPECT_LE(bytes(sizes[i - 1], other, 100), bytes(sizes[i], other, 100)) << describe(setup);
        EXPECT_LE(bytes(10, sizes[i - 1], other), bytes(10, sizes[i], other)) << describe(setup);
        EXPECT_LE(bytes(10, other, sizes[i - 1]), bytes(10, other, sizes[i])) << describe(setup);
      }
    }
  }
}

}  // namespace
}  // namespace keysieve::test

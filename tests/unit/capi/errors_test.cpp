// Every wrong call is refused with the argument's name, and nothing is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "keysieve/select.hpp"

namespace keysieve {
namespace {

struct Fixture {
  SelectProblem problem;
  SelectArgs args;
  std::vector<float> scores = std::vector<float>(4 * 10, 1.0f);
  std::vector<std::int32_t> lengths = {10, 10, 10, 10};
  std::vector<std::int32_t> offsets = {0, 1, 2, 3};
  std::vector<std::int32_t> table = std::vector<std::int32_t>(4 * 5, 0);
  std::vector<std::int32_t> indices = std::vector<std::int32_t>(4 * 3, 77);
  std::vector<std::int32_t> raw = std::vector<std::int32_t>(4 * 3, 77);
  std::vector<float> values = std::vector<float>(4 * 3, 77.0f);
  std::vector<std::int32_t> counts = std::vector<std::int32_t>(4, 77);
  std::vector<std::byte> workspace;
  bool automatic_workspace = true;

  Fixture() {
    problem.rows = 4;
    problem.width = 10;
    problem.k = 3;
    args.scores = scores.data();
    args.lengths = lengths.data();
    args.indices = indices.data();
    args.values = values.data();
    args.counts = counts.data();
  }

  void paged(IndexMode mode) {
    problem.mode = mode;
    args.page_table = table.data();
    args.page_table_rows = 4;
    args.page_table_columns = 5;
    args.page_size = 2;
    if (mode == IndexMode::kDual) args.raw_indices = raw.data();
  }

  Status run() {
    SelectPlan plan;
    if (Status status = try_make_plan(problem, plan); !status.ok()) return status;
    if (automatic_workspace) {
      workspace.resize(static_cast<std::size_t>(plan.workspace_bytes));
      args.workspace = workspace.data();
      args.workspace_bytes = plan.workspace_bytes;
    }
    return try_run(plan, args);
  }

  bool untouched() const {
    const auto is = [](const auto& buffer, auto value) {
      return std::all_of(buffer.begin(), buffer.end(), [&](auto each) { return each == value; });
    };
    return is(indices, 77) && is(raw, 77) && is(values, 77.0f) && is(counts, 77);
  }
};

struct WrongCall {
  const char* name;
  std::function<void(Fixture&)> spoil;
  const char* message;  // must occur in the error
};

class RefusedCall : public ::testing::TestWithParam<WrongCall> {};

TEST_P(RefusedCall, NamesTheArgumentAndWritesNothing) {
  for (const Backend backend : {Backend::kReference, Backend::kCpu}) {
    Fixture fixture;
    fixture.problem.backend = backend;
    GetParam().spoil(fixture);
    const Status status = fixture.run();
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status.message();
    EXPECT_NE(status.message().find(GetParam().message), std::string::npos) << status.message();
    EXPECT_TRUE(fixture.untouched());
  }
}

const WrongCall kWrongCalls[] = {
    {"KZero", [](Fixture& s) { s.problem.k = 0; }, "k: expected 1..2147483647, got 0"},
    {"KNegative", [](Fixture& s) { s.problem.k = -1; }, "k:"},
    {"RowsNegative", [](Fixture& s) { s.problem.rows = -1; }, "rows:"},
    {"WidthTooLarge", [](Fixture& s) { s.problem.width = std::int64_t{1} << 31; }, "width:"},
    {"ScoresNull", [](Fixture& s) { s.args.scores = nullptr; }, "scores:"},
    {"IndicesNull", [](Fixture& s) { s.args.indices = nullptr; }, "indices:"},
    {"ScoreStrideBelowWidth", [](Fixture& s) { s.args.score_row_stride = 9; },
     "score_row_stride: expected at least 10 elements, got 9"},
    {"ScoreStrideZeroIsLiteral", [](Fixture& s) { s.args.score_row_stride = 0; }, "score_row_stride:"},
    {"ScoreStrideOverflow", [](Fixture& s) { s.args.score_row_stride = std::numeric_limits<std::int64_t>::max(); },
     "score_row_stride: expected at most"},
    {"IndicesStrideBelowK", [](Fixture& s) { s.args.indices_row_stride = 2; }, "indices_row_stride:"},
    {"ValuesStrideBelowK", [](Fixture& s) { s.args.values_row_stride = 2; }, "values_row_stride:"},
    {"LengthStrideNegative", [](Fixture& s) { s.args.length_request_stride = -4; }, "lengths:"},
    {"LengthsAndEnds", [](Fixture& s) { s.args.row_ends = s.lengths.data(); }, "row_ends:"},
    {"NextNZero", [](Fixture& s) { s.args.next_n = 0; }, "next_n: expected at least 1, got 0"},
    {"NextNDoesNotDivide", [](Fixture& s) { s.args.next_n = 3; }, "next_n: expected a divisor of rows=4, got 3"},
    {"OffsetWithoutOffsets", [](Fixture& s) { s.problem.mode = IndexMode::kOffset; }, "out_offsets:"},
    {"OffsetsWithoutOffset", [](Fixture& s) { s.args.out_offsets = s.offsets.data(); }, "out_offsets:"},
    {"PagedWithoutTable", [](Fixture& s) { s.paged(IndexMode::kPaged), s.args.page_table = nullptr; }, "page_table:"},
    {"TableInRawMode", [](Fixture& s) { s.args.page_table = s.table.data(); }, "page_table:"},
    {"DualWithoutRaw", [](Fixture& s) { s.paged(IndexMode::kDual), s.args.raw_indices = nullptr; }, "raw_indices:"},
    {"RawInPagedMode", [](Fixture& s) { s.paged(IndexMode::kPaged), s.args.raw_indices = s.raw.data(); },
     "raw_indices:"},
    {"PageSizeZero", [](Fixture& s) { s.paged(IndexMode::kPaged), s.args.page_size = 0; }, "page_size:"},
    {"NumPagesNegative", [](Fixture& s) { s.paged(IndexMode::kPaged), s.args.num_pages = -2; }, "num_pages:"},
    {"TableRowsDiffer", [](Fixture& s) { s.paged(IndexMode::kPaged), s.args.page_table_rows = 3; },
     "page_table: expected [rows=4, columns], got [3, 5]"},
    {"TableStrideBelowColumns", [](Fixture& s) { s.paged(IndexMode::kPaged), s.args.page_table_row_stride = 4; },
     "page_table_row_stride:"},
    {"OutputOverlapsScores", [](Fixture& s) { s.args.indices = s.scores.data(); },
     "indices: expected memory of its own"},
    {"OutputsOverlap", [](Fixture& s) { s.args.values = reinterpret_cast<float*>(s.indices.data()); }, "overlaps"},
    {"CountsOverlapLengths", [](Fixture& s) { s.args.counts = s.lengths.data(); }, "counts:"},
};

INSTANTIATE_TEST_SUITE_P(Errors, RefusedCall, ::testing::ValuesIn(kWrongCalls),
                         [](const auto& instance) { return instance.param.name; });

TEST(Errors, WorkspaceTooSmallIsRefusedWithTheSizes) {
  Fixture fixture;
  fixture.problem.backend = Backend::kCpu;
  fixture.automatic_workspace = false;
  const std::int64_t needed = make_plan(fixture.problem).workspace_bytes;
  ASSERT_GT(needed, 0);
  fixture.workspace.resize(static_cast<std::size_t>(needed));
  fixture.args.workspace = fixture.workspace.data();
  fixture.args.workspace_bytes = needed - 1;
  const Status status = fixture.run();
  EXPECT_EQ(status.message(),
            "workspace: expected " + std::to_string(needed) + " bytes, got " + std::to_string(needed - 1));
  EXPECT_TRUE(fixture.untouched());
}

TEST(Errors, InterleavedOutputsAreNoOverlap) {
  Fixture fixture;
  fixture.paged(IndexMode::kDual);
  std::vector<std::int32_t> both(4 * 6);
  fixture.args.indices = both.data();
  fixture.args.raw_indices = both.data() + 3;
  fixture.args.indices_row_stride = fixture.args.raw_indices_row_stride = 6;
  const Status status = fixture.run();
  EXPECT_TRUE(status.ok()) << status.message();
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_EQ(both[row * 6 + 3], 0);
    EXPECT_EQ(both[row * 6 + 5], 2);
  }
}

TEST(Errors, EmptyBatchNeedsNoPointers) {
  SelectProblem problem;
  problem.width = 10;
  problem.k = 3;
  EXPECT_NO_THROW(run(make_plan(problem), SelectArgs{}));
}

TEST(Errors, ACallAfterARefusedOneIsRight) {
  Fixture fixture;
  fixture.problem.k = 0;
  ASSERT_FALSE(fixture.run().ok());
  fixture.problem.k = 3;
  ASSERT_TRUE(fixture.run().ok());
  EXPECT_EQ(fixture.indices[0], 0);
  EXPECT_EQ(fixture.indices[2], 2);
}

}  // namespace
}  // namespace keysieve

// The copies around a run on a device, with host memory in the place of the GPU's and the CPU backend in the place of
// its kernels: what is under test is which buffer goes where, how much of it, and when.
#include "cli/device_selection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/select_check.hpp"
#include "host_buffers.hpp"

namespace keysieve::cli {
namespace {

constexpr std::int64_t kRows = 4;
constexpr std::int64_t kWidth = 24;
constexpr std::int64_t kPageSize = 8;

class DeviceSelection : public ::testing::TestWithParam<IndexMode> {
 protected:
  DeviceSelection() {
    for (std::int64_t i = 0; i < kRows * kWidth; ++i) scores_.push_back(static_cast<float>(i * 37 % 29));
    problem_.rows = kRows;
    problem_.width = kWidth;
    problem_.k = 5;
    problem_.mode = GetParam();
    problem_.order = SlotOrder::kScore;
    args_.scores = scores_.data();
    args_.lengths = lengths_;
    args_.row_starts = starts_;
    if (problem_.mode == IndexMode::kOffset) args_.out_offsets = offsets_;
    if (problem_.mode == IndexMode::kPaged || problem_.mode == IndexMode::kDual) {
      args_.page_table = table_;
      args_.page_table_rows = 2;
      args_.page_table_columns = 3;
      args_.page_size = kPageSize;
      args_.row_to_table = row_to_table_;
    }
  }

  void compare(std::int64_t rows) {
    problem_.rows = rows;
    const SelectPlan plan = make_plan(problem_);
    Outputs got, expected;
    got.prepare(problem_, true, std::byte{0x5a});
    expected.prepare(problem_, true, std::byte{0xa5});
    Runner().run(plan, args_, expected);
    EXPECT_EQ(device_.run(plan, args_, got), 0.25);
    CheckReport report;
    compare_batch(problem_, args_, got, expected, 0, report);
    EXPECT_TRUE(report.ok()) << "row " << report.first_row << ": " << report.first_fault;
    EXPECT_EQ(got.error_word, expected.error_word);
  }

  std::vector<float> scores_;
  const std::int32_t lengths_[kRows] = {24, 3, -1, 17};
  const std::int32_t starts_[kRows] = {0, 20, 1, 7};
  const std::int32_t offsets_[kRows] = {100, 0, -3, 7};
  const std::int32_t table_[2 * 3] = {5, -1, 3, 2, 1, 0};
  const std::int32_t row_to_table_[kRows] = {1, 0, -1, 1};
  SelectProblem problem_;
  SelectArgs args_;
  std::vector<std::int64_t> uploads_;
  DeviceRunner device_{std::make_unique<HostBuffers>(uploads_)};
};

TEST_P(DeviceSelection, GivesTheOutputsOfARunOnTheHost) { compare(kRows); }

TEST_P(DeviceSelection, BatchesOfSeveralSizesShareTheMemory) {
  for (const std::int64_t rows : {2, 4, 1}) {
    scores_[3] += 50;  // other scores at the same address
    compare(rows);
  }
}

TEST_P(DeviceSelection, TheTableIsCopiedOnce) {
  const bool paged = args_.page_table != nullptr;
  compare(kRows);
  EXPECT_EQ(std::count(uploads_.begin(), uploads_.end(), std::int64_t{sizeof table_}), paged ? 1 : 0);
  uploads_.clear();
  compare(kRows);
  EXPECT_EQ(std::count(uploads_.begin(), uploads_.end(), std::int64_t{sizeof table_}), 0);
}

TEST_P(DeviceSelection, AReplaySelectsFromWhatIsThereThen) {
  const SelectPlan plan = make_plan(problem_);
  Outputs got, expected;
  got.prepare(problem_, true, std::byte{0x5a});
  device_.capture(plan, args_, got);
  for (const float step : {0.0f, 30.0f, -70.0f}) {
    scores_[3] += step;
    got.prepare(problem_, true, std::byte{0x5a});
    expected.prepare(problem_, true, std::byte{0xa5});
    Runner().run(plan, args_, expected);
    device_.replay(args_, got);
    CheckReport report;
    compare_batch(problem_, args_, got, expected, 0, report);
    EXPECT_TRUE(report.ok()) << "row " << report.first_row << ": " << report.first_fault;
  }
}

TEST_P(DeviceSelection, TheHintGoesAlong) {
  compare(kRows);
  const std::size_t without = uploads_.size();
  const float hint[kRows] = {1, 2, 3, 4};
  args_.hint = hint;
  uploads_.clear();
  compare(kRows);
  const std::size_t table = args_.page_table != nullptr ? 1 : 0;  // copied by the first run alone
  EXPECT_EQ(uploads_.size(), without - table + 1);
}

TEST_P(DeviceSelection, ARefusedRunSaysWhy) {
  SelectPlan plan = make_plan(problem_);
  plan.runnable = 0;
  Outputs got;
  got.prepare(problem_, false, std::byte{0x5a});
  EXPECT_THROW(device_.run(plan, args_, got), Error);
}

INSTANTIATE_TEST_SUITE_P(Modes, DeviceSelection,
                         ::testing::Values(IndexMode::kRaw, IndexMode::kOffset, IndexMode::kPaged, IndexMode::kDual));

}  // namespace
}  // namespace keysieve::cli

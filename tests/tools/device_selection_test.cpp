// The copies around a run on a device, with host memory in the place of the GPU's and the CPU backend in the place of
// its kernels: what is under test is which buffer goes where, how much of it, and when.
#include "cli/device_selection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>

#include "cli/select_check.hpp"

namespace keysieve::cli {
namespace {

// Blocks of exactly the size asked for: a copy past one's end is refused, and shows under a sanitizer.
class HostBuffers final : public DeviceBuffers {
 public:
  explicit HostBuffers(std::vector<std::int64_t>& uploads) : uploads_(uploads) {}

  void* reserve(std::size_t place, std::int64_t bytes) override {
    if (bytes == 0) return nullptr;
    Block& block = blocks_[place];
    if (bytes > block.bytes) {
      block.data = std::make_unique<std::byte[]>(static_cast<std::size_t>(bytes));
      block.bytes = bytes;
    }
    return block.data.get();
  }

  void fill(void* device, std::byte value, std::int64_t bytes) override {
    if (bytes == 0) return;
    check_inside(device, bytes);
    std::memset(device, std::to_integer<int>(value), static_cast<std::size_t>(bytes));
  }

  void upload(void* device, const void* host, std::int64_t bytes) override {
    uploads_.push_back(bytes);
    if (bytes == 0) return;
    check_inside(device, bytes);
    std::memcpy(device, host, static_cast<std::size_t>(bytes));
  }

  void download(void* host, const void* device, std::int64_t bytes) override {
    if (!clock_stopped_) throw std::logic_error("fetched before the work was done");
    if (bytes == 0) return;
    check_inside(device, bytes);
    std::memcpy(host, device, static_cast<std::size_t>(bytes));
  }

  void start_clock() override { clock_stopped_ = false; }
  double stop_clock() override {
    clock_stopped_ = true;
    return 0.25;
  }
  void* stream() const override { return nullptr; }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> data;
    std::int64_t bytes = 0;
  };

  void check_inside(const void* device, std::int64_t bytes) const {
    for (const auto& [place, block] : blocks_) {
      if (device == block.data.get() && bytes <= block.bytes) return;
    }
    throw std::logic_error("not memory of the device, or more than there is");
  }

  std::vector<std::int64_t>& uploads_;
  std::map<std::size_t, Block> blocks_;
  bool clock_stopped_ = false;
};

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

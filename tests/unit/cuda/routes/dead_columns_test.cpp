// Columns outside a row's window are never read, wherever they lie: a stray read ends the test at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "cuda/routes/route_run.hpp"
#include "faults/guard_pages.hpp"
#include "plan/planner.hpp"
#include "plan/policy.hpp"

namespace keysieve::test {
namespace {

struct Window {
  std::int32_t start;
  std::int32_t length;
};

// Rows of 16 pages, of which the windows' alone can be touched: they begin and end where pages do.
class GuardedRows {
 public:
  GuardedRows(std::vector<Window> windows, std::size_t score_bytes)
      : windows_(std::move(windows)),
        score_bytes_(score_bytes),
        page_(static_cast<std::int64_t>(MappedMemory::page_bytes() / score_bytes)),
        memory_(windows_.size() * kRowPages * MappedMemory::page_bytes()) {
    std::mt19937_64 random(5);
    for (std::size_t row = 0; row < windows_.size(); ++row) {
      const std::int64_t first = windows_[row].start / page_, end = first + windows_[row].length / page_;
      for (std::int64_t i = 0; i < windows_[row].length; ++i) set(row, windows_[row].start + i, random);
      memory_.forbid(row * kRowPages, static_cast<std::size_t>(first));
      memory_.forbid(row * kRowPages + static_cast<std::size_t>(end), static_cast<std::size_t>(kRowPages - end));
    }
  }
  std::int64_t page() const { return page_; }
  std::int64_t width() const { return kRowPages * page_; }
  const std::byte* scores() const { return memory_.data(); }
  const std::vector<Window>& windows() const { return windows_; }

  // Ascending; of 16-bit scores many are equal.
  std::vector<std::int32_t> best(std::size_t row, std::int64_t k) const {
    std::vector<std::int32_t> all(static_cast<std::size_t>(windows_[row].length));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int32_t>(i);
    const auto value = [&](std::int32_t i) { return get(row, windows_[row].start + i); };
    std::stable_sort(all.begin(), all.end(), [&](std::int32_t a, std::int32_t b) { return value(a) > value(b); });
    all.resize(std::min(all.size(), static_cast<std::size_t>(k)));
    std::sort(all.begin(), all.end());
    all.resize(static_cast<std::size_t>(k), -1);
    return all;
  }

 private:
  static constexpr std::int64_t kRowPages = 16;

  std::byte* at(std::size_t row, std::int64_t column) const {
    return memory_.data() +
           (static_cast<std::int64_t>(row) * width() + column) * static_cast<std::int64_t>(score_bytes_);
  }
  // Positive numbers, so that bits compare as values do in every format.
  void set(std::size_t row, std::int64_t column, std::mt19937_64& random) const {
    const auto bits = static_cast<std::uint32_t>(score_bytes_ == 4 ? 0x3F000000u + random() % 0x01000000u
                                                                   : 0x3800u + random() % 0x400u);
    std::memcpy(at(row, column), &bits, score_bytes_);
  }
  std::uint32_t get(std::size_t row, std::int64_t column) const {
    std::uint32_t bits = 0;
    std::memcpy(&bits, at(row, column), score_bytes_);
    return bits;
  }

  std::vector<Window> windows_;
  std::size_t score_bytes_;
  std::int64_t page_;
  MappedMemory memory_;
};

void check(const GuardedRows& rows, ScoreType type, std::int64_t k, const HostEngineSetup& setup) {
  SelectProblem problem;
  problem.device_type = DeviceType::kCuda;
  problem.backend = Backend::kCuda;
  problem.rows = static_cast<std::int64_t>(rows.windows().size());
  problem.width = rows.width();
  problem.k = k;
  problem.score_type = type;
  problem.route = setup.route;
  problem.threads = setup.threads;
  problem.split = setup.split;
  if (!cuda_route_faults(problem, *find_device_profile(setup.profile)).empty()) return;
  SelectPlan plan;
  ASSERT_TRUE(make_plan_for_profile(problem, setup.profile, plan).ok());
  std::vector<std::int32_t> starts, lengths, indices(static_cast<std::size_t>(problem.rows * k), 77);
  bool has_starts = false;
  for (const Window& window : rows.windows()) {
    starts.push_back(window.start);
    lengths.push_back(window.length);
    has_starts = has_starts || window.start != 0;
  }
  std::vector<std::byte> workspace(static_cast<std::size_t>(plan.workspace_bytes));
  SelectArgs args;
  args.scores = rows.scores();
  args.lengths = lengths.data();
  args.row_starts = has_starts ? starts.data() : nullptr;
  args.indices = indices.data();
  args.workspace = workspace.empty() ? nullptr : workspace.data();
  args.workspace_bytes = plan.workspace_bytes;
  ASSERT_EQ(run_on_host_engine(plan, args, setup.order_seed), "") << describe(setup);
  for (std::size_t row = 0; row < rows.windows().size(); ++row) {
    const auto first = indices.begin() + static_cast<std::ptrdiff_t>(row) * k;
    ASSERT_EQ(std::vector<std::int32_t>(first, first + k), rows.best(row, k)) << describe(setup) << ", row " << row;
  }
}

TEST(CudaDeadColumnsOnHost, AreNotRead) {
  for (const ScoreType type : {ScoreType::kFloat32, ScoreType::kBFloat16, ScoreType::kFloat16}) {
    const auto bytes = static_cast<std::size_t>(size_bytes(type));
    const auto page = static_cast<std::int32_t>(MappedMemory::page_bytes() / bytes);
    for (const bool with_starts : {false, true}) {
      const std::int32_t start = with_starts ? page : 0;
      const GuardedRows rows({{start, page}, {0, 0}, {2 * start, 3 * page}, {start, 14 * page}}, bytes);
      for (const std::int64_t k : {37, 3000}) {
        for (std::uint64_t turn = 0; turn < 4; ++turn) {
          for (HostEngineSetup setup : setups_of_all_routes(turn)) {
            if (setup.route == Route::kTile) {  // 16 pages: with one CTA, and with a cluster of four
              setup.threads = static_cast<std::int32_t>(rows.width()) / (turn % 2 == 0 ? 32 : 64);
              setup.split = turn % 2 == 0 ? 1 : 4;
            }
            check(rows, type, k, setup);
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace keysieve::test

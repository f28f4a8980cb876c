// Classes G, H, L and N as far as a CPU has the state in question: workspaces, threads, determinism.
// The device's share of each of these entries (CTAs, clusters, streams) is tested on a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>

#include "faults/fault_check.hpp"
#include "faults/guard_pages.hpp"

namespace keysieve::test {
namespace {

std::string run_in(const CaseInputs& inputs, const SelectPlan& plan, void* workspace, std::int64_t bytes) {
  CaseResult expected(inputs, 0, 0), got(inputs, 0, 0x5A);
  cases::compute_expected(inputs, expected);
  SelectArgs args = inputs.args();
  got.add_to(args);
  args.workspace = workspace;
  args.workspace_bytes = bytes;
  if (const Status status = try_run(plan, args); !status.ok()) return status.message();
  if (std::string fault = got.damaged(); !fault.empty()) return fault;
  return cases::compare(inputs, expected, got);
}

// The rounds of the entry are 1000; a CPU has no arrival order to vary, so a few with new data show the same.
TEST(Faults, R56_FirstContentsOfTheWorkspace) {
  const std::uint32_t rounds = kSanitized ? 2 : 5;
  for (const Route route : kCpuRoutes) {
    for (const std::uint8_t fill : kPoisons) {
      std::vector<std::byte> arena;
      for (std::uint32_t round = 0; round < rounds; ++round) {
        for (const std::int64_t rows : {33, 7, 33}) {
          SelectCase spec = fault_case("R56", rows, 65536, 512, Pattern::kUniform);
          set_lengths(spec, std::vector<std::int32_t>(static_cast<std::size_t>(rows), 40000));
          spec.pattern.first_row = 100 * round;
          const CaseInputs inputs(spec);
          const SelectPlan plan = plan_for(inputs, {Backend::kCpu, route, 3});
          const auto needed = static_cast<std::size_t>(plan.workspace_bytes);
          if (arena.size() < needed) arena.resize(needed, static_cast<std::byte>(fill));
          ASSERT_EQ(run_in(inputs, plan, arena.data(), static_cast<std::int64_t>(arena.size())), "");
        }
      }
    }
  }
}

// Per-row k does not exist: calls of different k share a workspace instead, and rows of trivial and full length
// alternate. 16 rows in place of four per multiprocessor.
TEST(Faults, R57_TrivialRowsBesideFullOnes) {
  for (const Route route : kCpuRoutes) {
    std::vector<std::byte> arena;
    for (const std::int64_t k : {65536, 512, 65536, 512}) {
      SelectCase spec = fault_case("R57", 16, 65536, k, Pattern::kGauss);
      std::vector<std::int32_t> lengths;
      for (int row = 0; row < 16; ++row) lengths.push_back(row % 2 == 0 ? 300 : 65536);
      set_lengths(spec, lengths);
      const CaseInputs inputs(spec);
      const SelectPlan plan = plan_for(inputs, {Backend::kCpu, route, 3});
      const auto needed = static_cast<std::size_t>(plan.workspace_bytes);
      if (arena.size() < needed) arena.resize(needed, std::byte{0x5A});
      EXPECT_EQ(run_in(inputs, plan, arena.data(), static_cast<std::int64_t>(arena.size())), "");
    }
  }
}

TEST(Faults, R62_PiecesWithoutAValidElement) {
  SelectCase spec = fault_case("R62", 4, 400000, 512, Pattern::kGauss);
  set_lengths(spec, {700, 512, 513, 100});
  expect_right(spec);
  set_lengths(spec, {700});
  expect_right(spec);
}

TEST(Faults, R63_WorkspaceOfExactlyTheReportedSize) {
  for (const Route route : kCpuRoutes) {
    for (const std::int64_t width : {65536, 1048576}) {
      for (const std::int64_t rows : {1, 3, 8}) {
        if (rows == 8 && width == 1048576 && kSanitized) continue;
        SelectCase spec = fault_case("R63", rows, width, 1, Pattern::kUlpAscending);
        for (const std::int64_t k : {1, 512, 2048, 8192, 65536}) {
          spec.k = k;
          const CaseInputs inputs(spec);
          const SelectPlan plan = plan_for(inputs, {Backend::kCpu, route, 7});
          const auto bytes = static_cast<std::size_t>(plan.workspace_bytes);
          const GuardedPages workspace(bytes);
          std::memset(workspace.data(), 0xFF, bytes);
          EXPECT_EQ(run_in(inputs, plan, workspace.data(), plan.workspace_bytes), "") << width << " k " << k;
        }
      }
    }
  }
}

// The lengths of the entry, then rows 1..31 around the CPU's own switch points: where a row is sampled (4096) and
// where it is worth sharing (2 x 32768).
TEST(Faults, R67_RowsJustAboveASwitchPoint) {
  for (const std::int64_t k : {512, 1024, 2048}) {
    SelectCase spec = fault_case("R67", 8, 40960, k, Pattern::kGauss);
    set_lengths(spec, {32767, 32768, 32769, 33000, 2000, 12000, 16385, 1000});
    spec.mode = IndexMode::kPaged;
    spec.page_fill = PageFill::kIdentity;
    expect_right(spec);
  }
  for (const std::int64_t rows : {1, 2, 3, 7, 15, 31}) {
    for (const std::int64_t floor : {4096, 65536}) {
      if (kSanitized && rows > 3 && floor > 4096) continue;
      for (std::int64_t length = floor - 1; length <= floor + 1; ++length) {
        SelectCase spec = fault_case("R67", rows, floor + 1, 512, Pattern::kGauss);
        set_lengths(spec, std::vector<std::int32_t>(static_cast<std::size_t>(rows), static_cast<std::int32_t>(length)));
        expect_right(spec);
      }
    }
  }
}

// Two host threads in place of two streams; fewer rounds than 1000, with a barrier-free overlap in each.
TEST(Faults, R85_TwoCallersAtOnce) {
  const int rounds = kSanitized ? 3 : 40;
  for (const Route route : kCpuRoutes) {
    std::mutex mutex;
    std::string first_fault;
    const auto caller = [&](std::uint32_t first_row) {
      SelectCase spec = fault_case("R85", 4, 131072, 2048, Pattern::kUniform);
      spec.pattern.first_row = first_row;
      const CaseInputs inputs(spec);
      const SelectPlan plan = plan_for(inputs, {Backend::kCpu, route, 2});
      CaseResult expected(inputs, 0, 0);
      cases::compute_expected(inputs, expected);
      for (int round = 0; round < rounds; ++round) {
        CaseResult got(inputs, plan.workspace_bytes, kPoisons[static_cast<std::size_t>(round) % 3]);
        std::string fault = cases::run_plan(plan, inputs, got);
        if (fault.empty()) fault = cases::compare(inputs, expected, got);
        const std::lock_guard<std::mutex> lock(mutex);
        if (first_fault.empty()) first_fault = fault;
      }
    };
    std::thread one(caller, 0u), two(caller, 1000u);
    one.join();
    two.join();
    EXPECT_EQ(first_fault, "");
  }
}

TEST(Faults, R94_SameSetOnEveryRun) {
  const std::int64_t rows = kSanitized ? 32 : 256;
  const int replays = kSanitized ? 4 : 25;
  CaseInputs inputs(fault_case("R94", rows, 8320, 2048, Pattern::kRelu));
  for (const Route route : kCpuRoutes) {
    const RunSetup setup{Backend::kCpu, route, 3};
    CaseResult right(inputs, 0, 0);
    cases::compute_expected(inputs, right);
    for (int replay = 0; replay < replays; ++replay) {
      // Row r of the batch is row (r + shift) mod rows of the pattern.
      const std::int64_t shift = 37 * replay % rows;
      SelectCase spec = inputs.spec();
      CaseInputs permuted(spec);
      const auto row_bytes = static_cast<std::size_t>(spec.width) * 4;
      auto* scores = static_cast<char*>(const_cast<void*>(permuted.args().scores));
      const auto* original = static_cast<const char*>(inputs.args().scores);
      for (std::int64_t row = 0; row < rows; ++row) {
        std::memcpy(scores + static_cast<std::size_t>(row) * row_bytes,
                    original + static_cast<std::size_t>((row + shift) % rows) * row_bytes, row_bytes);
      }
      CaseResult got = result_for(permuted, setup, kPoisons[static_cast<std::size_t>(replay) % 3]);
      ASSERT_EQ(run_case(permuted, setup, got), "");
      for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t slot = 0; slot < 2048; ++slot) {
          ASSERT_EQ(got.index(row, slot), right.index((row + shift) % rows, slot))
              << describe(setup) << ", row " << row;
        }
      }
    }
  }
  SelectCase narrow = fault_case("R94", 4, 131072, 2048, Pattern::kGauss);
  narrow.score_type = ScoreType::kBFloat16;
  expect_right(narrow);
}

}  // namespace
}  // namespace keysieve::test

// One plan serves any lengths, any contents and any earlier use of its workspace.
#include <gtest/gtest.h>

#include <cstring>

#include "cases/compare.hpp"
#include "cases/oracle.hpp"
#include "select/routes.hpp"

namespace keysieve::test {
namespace {

using cases::CaseInputs;
using cases::CaseResult;
using cases::SelectCase;

SelectCase with_lengths(std::vector<std::int32_t> lengths, std::uint32_t first_row) {
  SelectCase spec;
  spec.name = "reuse";
  spec.rows = static_cast<std::int64_t>(lengths.size());
  spec.width = 20000;
  spec.k = 512;
  spec.length_kind = cases::LengthKind::kExplicit;
  spec.lengths = std::move(lengths);
  spec.pattern = {cases::Pattern::kGauss, 0, first_row};
  return spec;
}

class PlanReuse : public testing::TestWithParam<Route> {};

// As a captured graph does: the plan is made once, lengths and scores change from call to call.
TEST_P(PlanReuse, AnyLengthsAfterAnyOthers) {
  const RunSetup setup{Backend::kCpu, GetParam(), 3};
  const SelectPlan plan = plan_for(CaseInputs(with_lengths(std::vector<std::int32_t>(8, 100), 0)), setup);
  const std::vector<std::vector<std::int32_t>> rounds = {
      {100, 100, 100, 100, 100, 100, 100, 100}, {20000, 20000, 20000, 20000, 20000, 20000, 20000, 20000},
      {0, 1, 511, 512, 513, 19999, -1, 30000},  {300, 5000, 20000, 513, 512, 0, 0, 0},
      {100, 100, 100, 100, 100, 100, 100, 100},
  };
  for (std::uint32_t round = 0; round < rounds.size(); ++round) {
    const CaseInputs inputs(with_lengths(rounds[round], round * 10));
    CaseResult expected(inputs, 0, 0), got(inputs, plan.workspace_bytes, kPoisons[round % 3]);
    cases::compute_expected(inputs, expected);
    EXPECT_EQ(cases::run_plan(plan, inputs, got), "") << "round " << round;
    EXPECT_EQ(cases::compare(inputs, expected, got), "") << "round " << round;
  }
}

// One arena, sized for the largest call, never cleared between calls of different shapes and k.
TEST_P(PlanReuse, OneArenaForEveryShape) {
  const RunSetup setup{Backend::kCpu, GetParam(), 3};
  std::vector<std::byte> arena;
  for (const auto& [rows, width, k] : std::vector<std::array<std::int64_t, 3>>{
           {33, 5000, 512}, {7, 300, 5000}, {33, 5000, 1}, {1, 40000, 2048}, {33, 5000, 512}}) {
    SelectCase spec;
    spec.name = "arena";
    spec.rows = rows;
    spec.width = width;
    spec.k = k;
    const CaseInputs inputs(spec);
    const SelectPlan plan = plan_for(inputs, setup);
    const auto needed = static_cast<std::size_t>(plan.workspace_bytes);
    if (arena.size() < needed) arena.resize(needed, std::byte{0xFF});
    CaseResult expected(inputs, 0, 0), got(inputs, 0, 0x5A);
    cases::compute_expected(inputs, expected);
    SelectArgs args = inputs.args();
    got.add_to(args);
    args.workspace = arena.data();
    args.workspace_bytes = static_cast<std::int64_t>(arena.size());
    run(plan, args);
    EXPECT_EQ(cases::compare(inputs, expected, got), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Routes, PlanReuse, testing::ValuesIn(kCpuRoutes), [](const auto& instance) {
  return instance.param == Route::kCpuRows ? "cpu_rows" : "cpu_chunks";
});

}  // namespace
}  // namespace keysieve::test

// Tunings that turn the planner's choices upside down, on the case table: other routes, the same results.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "cases/case_table.hpp"
#include "cases/compare.hpp"
#include "cases/oracle.hpp"
#include "cuda/host_engine.hpp"
#include "plan/policy.hpp"

namespace keysieve::test {
namespace {

struct NamedTuning {
  const char* name;
  CudaTuning tuning;
};

constexpr NamedTuning kTunings[] = {
    {"tile as long as it fits", {.tile_max_bytes = 1 << 20, .tile_max_bytes_few_rows = 1 << 20}},
    {"never tile, share every row between 16",
     {.tile_max_bytes = 0,
      .tile_max_bytes_few_rows = 0,
      .split_min_columns = 64,
      .split_sm_percent = 100,
      .split_long_row_columns = 0,
      .split_very_long_row_columns = 0,
      .wide_min_columns = kNeverColumns,
      .wide_max_rows = 0}},
    {"wide wherever rows are few",
     {.tile_max_bytes = 0,
      .tile_max_bytes_few_rows = 0,
      .split_min_columns = 64,
      .split_sm_percent = 100,
      .wide_min_columns = 1,
      .wide_max_rows = 1024}},
    {"sieve alone", {.tile_max_bytes = 0, .tile_max_bytes_few_rows = 0, .split_min_columns = kNeverColumns}},
};

SelectPlan plan_with(const SelectProblem& problem, const DeviceProfile& device) {
  const RouteChoice choice = choose_cuda_route(problem, device);
  SelectPlan plan;
  plan.backend = Backend::kCuda;
  plan.route = choice.route;
  plan.threads = choice.threads;
  plan.chunks_per_row = choice.chunks_per_row;
  plan.workspace_bytes = choice.workspace_bytes;
  plan.problem = problem;
  plan.shared_bytes = choice.shared_bytes;
  plan.candidate_capacity = choice.candidate_capacity;
  plan.sample_vectors = choice.sample_vectors;
  return plan;
}

std::string check(const cases::CaseInputs& inputs, const cases::CaseResult& expected, const SelectPlan& plan) {
  cases::CaseResult got(inputs, plan.workspace_bytes, 0x5A);
  SelectArgs args = inputs.args();
  got.add_to(args);
  std::string fault = run_on_host_engine(plan, args, /*order_seed=*/0);
  if (fault.empty()) fault = inputs.damaged();
  if (fault.empty()) fault = got.damaged();
  if (fault.empty()) fault = got.gap_written();
  if (fault.empty()) fault = cases::compare(inputs, expected, got);
  return fault.empty() ? fault : cases::describe(inputs.spec()) + ": " + fault;
}

TEST(Tuning, ChangesTheRouteAndNotTheResult) {
  std::set<Route> taken;
  std::size_t changed = 0, turn = 0;
  for (const cases::SelectCase& spec : cases::case_table()) {
    if (++turn % 5 != 0) continue;  // the whole table runs on every route elsewhere
    const cases::CaseInputs inputs(spec);
    cases::CaseResult expected(inputs, 0, 0x33);
    cases::compute_expected(inputs, expected);
    HostEngineSetup setup;
    setup.threads = 32;  // fibers are slow, and the shape of a CTA is not in question
    const SelectProblem problem = problem_for(inputs, setup);
    for (const NamedTuning& each : kTunings) {
      DeviceProfile device = *find_device_profile("h200");
      device.tuning = {};
      if (!cuda_route_faults(problem, device).empty()) continue;
      const Route before = choose_cuda_route(problem, device).route;
      device.tuning = each.tuning;
      ASSERT_EQ(tuning_fault(device.tuning), "") << each.name;
      const SelectPlan plan = plan_with(problem, device);
      ASSERT_EQ(check(inputs, expected, plan), "") << each.name;
      taken.insert(plan.route);
      changed += plan.route != before ? 1 : 0;
    }
  }
  EXPECT_EQ(taken.size(), 5u) << "every route has had its turn";
  EXPECT_GT(changed, 50u);
}

}  // namespace
}  // namespace keysieve::test

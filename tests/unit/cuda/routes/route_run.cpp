#include "cuda/routes/route_run.hpp"

#include <algorithm>
#include <array>

#include "cases/compare.hpp"
#include "cases/oracle.hpp"
#include "cases/windows.hpp"
#include "cuda/block/limits.hpp"
#include "plan/cta_shape.hpp"
#include "plan/planner.hpp"
#include "plan/policy.hpp"

namespace keysieve::test {
namespace {

constexpr std::int32_t kUnwritten = 0x5A5A5A5A;

// The least that a block can work with: k candidates, one chunk of every warp and the two edges of a row that a warp
// alone takes one after the other; the sample lies there, and a sort pads to a power of two.
std::int32_t least_capacity(const SelectPlan& plan) {
  const std::int64_t warps = plan.threads / kWarpThreads;
  const std::int64_t k = std::max<std::int64_t>(1, std::min(plan.problem.k, plan.problem.width));
  std::int64_t padded = kSampleEntries;
  while (padded < k) padded *= 2;
  return static_cast<std::int32_t>(std::max(k + std::max<std::int64_t>(warps, 2) * kChunkColumns, padded));
}

void shrink_buffer(SelectPlan& plan, std::int32_t spare) {
  if (plan.route == Route::kTrivial || plan.route == Route::kTile) return;  // they keep no candidates
  plan.candidate_capacity = least_capacity(plan) + spare;
  plan.shared_bytes = shared_bytes_of(plan.route, plan.chunks_per_row, plan.candidate_capacity);
}

std::string check_counters(const cases::CaseInputs& inputs, const std::vector<RowCount>& rows) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const RowCount& count = rows[row];
    const bool empty = cases::window_of(inputs, static_cast<std::int64_t>(row)).n == 0;
    const bool sound =
        count.second_reads >= 0 && count.second_reads <= 1 && count.compactions >= 0 && count.compactions != kUnwritten;
    if (sound && !(empty && count.second_reads + count.compactions != 0)) continue;
    return "row " + std::to_string(row) + ": counters " + std::to_string(count.second_reads) + " and " +
           std::to_string(count.compactions);
  }
  return {};
}

}  // namespace

RouteOutcome run_route(const cases::CaseInputs& inputs, const cases::CaseResult& expected, const RouteRun& run) {
  RouteOutcome outcome;
  const SelectProblem problem = problem_for(inputs, run.setup);
  outcome.refused = !cuda_route_faults(problem, *find_device_profile(run.setup.profile)).empty();
  if (outcome.refused) return outcome;
  const Status status = make_plan_for_profile(problem, run.setup.profile, outcome.plan);
  if (!status.ok()) {
    outcome.fault = status.message();
    return outcome;
  }
  SelectPlan& plan = outcome.plan;
  if (run.spare_candidates >= 0) shrink_buffer(plan, run.spare_candidates);
  if (run.sample_vectors != kAuto) plan.sample_vectors = run.sample_vectors;

  cases::CaseResult got(inputs, 0, run.poison);
  cases::GuardedBuffer workspace(static_cast<std::size_t>(plan.workspace_bytes),
                                 static_cast<std::size_t>(run.workspace_offset));
  workspace.fill(run.poison);
  cases::GuardedBuffer counters(static_cast<std::size_t>(problem.rows) * sizeof(RowCount), 4);
  counters.fill(0x5A);
  SelectArgs args = inputs.args();
  got.add_to(args);
  args.workspace = plan.workspace_bytes > 0 ? workspace.data() : nullptr;
  args.workspace_bytes = plan.workspace_bytes;
  args.hint = run.hint;
  args.row_counters = counters.as<std::int32_t>();
  const std::uint64_t before = inputs.checksum();
  std::string& fault = outcome.fault;
  fault = run_on_host_engine(plan, args, run.setup.order_seed);
  if (fault.empty()) fault = inputs.damaged();
  if (fault.empty() && inputs.checksum() != before) fault = "an input was written";
  if (fault.empty()) fault = got.damaged();
  if (fault.empty()) fault = got.gap_written();
  if (fault.empty()) fault = workspace.damaged();
  if (fault.empty()) fault = counters.damaged();
  if (fault.empty()) fault = cases::compare(inputs, expected, got);
  for (std::int64_t row = 0; row < problem.rows; ++row) outcome.rows.push_back(counters.as<RowCount>()[row]);
  if (fault.empty()) fault = check_counters(inputs, outcome.rows);
  if (!fault.empty()) fault = cases::describe(inputs.spec()) + "\n  on " + describe(run.setup) + ": " + fault;
  return outcome;
}

RouteOutcome run_route(const cases::CaseInputs& inputs, const RouteRun& run) {
  cases::CaseResult expected(inputs, 0, 0x33);
  cases::compute_expected(inputs, expected);
  return run_route(inputs, expected, run);
}

std::vector<HostEngineSetup> setups_of_all_routes(std::uint64_t turn) {
  constexpr std::array kThreads = {64, 32, 128, 96, 256};
  constexpr std::array kSplits = {2, 3, 4, 1, 5, 7, 8, 16};
  std::vector<HostEngineSetup> setups;
  for (const Route route : {Route::kTrivial, Route::kTile, Route::kSieve, Route::kSplit, Route::kWide}) {
    HostEngineSetup setup;
    setup.route = route;
    setup.threads = kThreads[(turn + setups.size()) % kThreads.size()];
    if (route == Route::kTile && turn % 2 == 0) {  // a cluster; else what the row asks for
      setup.split = kSplits[turn / 2 % kSplits.size()];
      setup.threads = 512 / setup.split / 32 * 32 + 32;  // for any row of 8192 columns
    }
    if (route == Route::kSplit || route == Route::kWide) {
      setup.split = kSplits[turn / 2 % kSplits.size()];
      if (setup.split > 4) setup.threads = turn % 2 == 0 ? 32 : 64;
    }
    setup.order_seed = turn % 3 == 0 ? 0 : turn;
    setups.push_back(setup);
  }
  return setups;
}

}  // namespace keysieve::test

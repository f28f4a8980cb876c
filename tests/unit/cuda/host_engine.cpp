#include "cuda/host_engine.hpp"

#include "cases/compare.hpp"
#include "core/check_select.hpp"
#include "core/names.hpp"
#include "cuda/route/publish.hpp"
#include "cuda/route/sieve.hpp"
#include "cuda/route/split.hpp"
#include "cuda/route/tile.hpp"
#include "cuda/route/trivial.hpp"
#include "cuda/route/wide.hpp"
#include "launch/launch_list.hpp"
#include "plan/planner.hpp"
#include "plan/policy.hpp"
#include "simt/launch.hpp"

namespace keysieve::test {
namespace {

template <typename Format>
void run_kernel(KernelId kernel, const SelectKernelArgs& args) {
  switch (kernel) {
    case KernelId::kTrivial:
      return select_trivial<Format>(args);
    case KernelId::kTile16:
      return select_tile<Format, 16>(args);
    case KernelId::kTile32:
      return select_tile<Format, 32>(args);
    case KernelId::kTileCluster:
      return select_tile_cluster<Format, 16>(args);
    case KernelId::kSieve:
      return select_sieve<Format>(args);
    case KernelId::kSplit:
      return select_split<Format>(args);
    case KernelId::kWideCollect:
      return select_wide_collect<Format>(args);
    case KernelId::kWideMerge:
      return select_wide_merge<Format>(args);
    case KernelId::kPublishSieve:
      return publish_sieve<Format>(args);
    case KernelId::kPublishSplit:
      return publish_split<Format>(args);
  }
}

void run_kernel(KernelId kernel, const SelectKernelArgs& args) {
  switch (args.problem.score_type) {
    case ScoreType::kFloat32:
      return run_kernel<Float32Bits>(kernel, args);
    case ScoreType::kBFloat16:
      return run_kernel<BFloat16Bits>(kernel, args);
    case ScoreType::kFloat16:
      return run_kernel<Float16Bits>(kernel, args);
  }
}

}  // namespace

std::string describe(const HostEngineSetup& setup) {
  std::string text = std::string(name_of(setup.route)) + " on " + setup.profile;
  if (setup.threads != kAuto) text += ", " + std::to_string(setup.threads) + " threads";
  if (setup.split != kAuto) text += ", split " + std::to_string(setup.split);
  if (setup.order_seed != 0) text += ", order " + std::to_string(setup.order_seed);
  return text;
}

SelectProblem problem_for(const cases::CaseInputs& inputs, const HostEngineSetup& setup) {
  SelectProblem problem = inputs.problem();
  problem.device_type = DeviceType::kCuda;
  problem.backend = Backend::kCuda;
  problem.route = setup.route;
  problem.threads = setup.threads;
  problem.split = setup.split;
  return problem;
}

std::string run_on_host_engine(const SelectPlan& plan, const SelectArgs& args, std::uint64_t order_seed) {
  SelectArgs resolved;
  if (const Status status = resolve_args(plan, args, resolved); !status.ok()) return status.message();
  if (plan.problem.rows == 0) return {};
  return run_launches_on_host(make_launches(plan, resolved), order_seed);
}

std::string run_launches_on_host(const LaunchList& list, std::uint64_t order_seed) {
  for (int i = 0; i < list.num_launches; ++i) {
    const KernelLaunch& launch = list.launches[static_cast<std::size_t>(i)];
    simt::LaunchShape shape;
    shape.blocks = launch.blocks;
    shape.threads = launch.threads;
    shape.shared_bytes = launch.shared_bytes;
    shape.cluster_blocks = launch.cluster_blocks;
    shape.order_seed = order_seed;
    std::string fault = simt::run_on_host(shape, [&] { run_kernel(launch.kernel, list.args); });
    if (!fault.empty()) return std::string(name_of(launch.kernel)) + ": " + fault;
    if (simt::dependency_waits() != launch.blocks * launch.threads) {
      return std::string(name_of(launch.kernel)) + ": not every thread waited for the kernel in front, once";
    }
  }
  return {};
}

std::string check_on_host_engine(const cases::CaseInputs& inputs, const cases::CaseResult& expected,
                                 const HostEngineSetup& setup, std::uint8_t poison, bool& refused) {
  const SelectProblem problem = problem_for(inputs, setup);
  refused = !cuda_route_faults(problem, *find_device_profile(setup.profile)).empty();
  if (refused) return {};
  SelectPlan plan;
  if (const Status status = make_plan_for_profile(problem, setup.profile, plan); !status.ok()) return status.message();
  cases::CaseResult got(inputs, plan.workspace_bytes, poison);
  SelectArgs args = inputs.args();
  got.add_to(args);
  const std::uint64_t before = inputs.checksum();
  std::string fault = run_on_host_engine(plan, args, setup.order_seed);
  if (fault.empty()) fault = inputs.damaged();
  if (fault.empty() && inputs.checksum() != before) fault = "an input was written";
  if (fault.empty()) fault = got.damaged();
  if (fault.empty()) fault = got.gap_written();
  if (fault.empty()) fault = cases::compare(inputs, expected, got);
  return fault.empty() ? fault : describe(inputs.spec()) + "\n  on " + describe(setup) + ": " + fault;
}

}  // namespace keysieve::test

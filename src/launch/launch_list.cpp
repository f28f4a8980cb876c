#include "launch/launch_list.hpp"

#include "cuda/block/block_state.hpp"
#include "cuda/block/limits.hpp"

namespace keysieve {
namespace {

Key negative_infinity_key(ScoreType type) {
  switch (type) {
    case ScoreType::kBFloat16:
      return kKeyNegativeInfinity<BFloat16Bits>;
    case ScoreType::kFloat16:
      return kKeyNegativeInfinity<Float16Bits>;
    case ScoreType::kFloat32:
      break;
  }
  return kKeyNegativeInfinity<Float32Bits>;
}

// Few rows have an SM each, where a barrier takes longer than the instructions that it spares.
bool geometry_by_all(const SelectProblem& problem) {
  constexpr std::int64_t kFewBytes = 8 << 20;
  return problem.rows * problem.width * size_bytes(problem.score_type) <= kFewBytes;
}

SelectKernelArgs kernel_args(const SelectPlan& plan, const SelectArgs& args) {
  const bool masked = plan.problem.mask_neg_inf != 0;
  SelectKernelArgs out{};
  out.problem = plan.problem;
  out.args = args;
  out.candidate_capacity = plan.candidate_capacity;
  out.candidate_limit = plan.candidate_capacity - plan.threads / kWarpThreads * kChunkColumns;
  out.sample_vectors = plan.sample_vectors;
  out.split = plan.chunks_per_row;
  out.geometry_by_all = geometry_by_all(plan.problem) ? 1 : 0;
  // A masked NaN is absent, so it may rank lowest whatever the policy says.
  out.nan_is_highest = plan.problem.nan_policy == NanPolicy::kHighest && !masked ? 1 : 0;
  out.floor_key = masked ? negative_infinity_key(plan.problem.score_type) + 1 : 0;
  return out;
}

KernelId kernel_of(const SelectPlan& plan) {
  switch (plan.route) {
    case Route::kTrivial:
      return KernelId::kTrivial;
    case Route::kTile:
      return tile_thread_columns(plan.problem.width, plan.threads) == kTileThreadColumns ? KernelId::kTile16
                                                                                         : KernelId::kTile32;
    case Route::kSplit:
      return KernelId::kSplit;
    default:
      return KernelId::kSieve;
  }
}

}  // namespace

LaunchList make_launches(const SelectPlan& plan, const SelectArgs& args) {
  LaunchList list;
  list.args = kernel_args(plan, args);
  const std::int64_t rows = plan.problem.rows;
  const auto add = [&](KernelId kernel, std::int64_t blocks, std::int32_t cluster_blocks) {
    list.launches[static_cast<std::size_t>(list.num_launches++)] = {kernel, blocks, plan.threads, plan.shared_bytes,
                                                                    cluster_blocks};
  };
  if (plan.route == Route::kWide) {
    add(KernelId::kWideCollect, rows * plan.chunks_per_row, 1);
    add(KernelId::kWideMerge, rows, 1);
  } else if (plan.route == Route::kSplit) {
    add(KernelId::kSplit, rows * plan.chunks_per_row, plan.chunks_per_row);
  } else if (plan.route == Route::kTile && plan.chunks_per_row > 1) {
    add(KernelId::kTileCluster, rows * plan.chunks_per_row, plan.chunks_per_row);
  } else {
    add(kernel_of(plan), rows, 1);
  }
  return list;
}

LaunchList make_publish_launches(const SelectPlan& plan, const SelectArgs& args, const BlockKeys& block_keys) {
  LaunchList list = make_launches(plan, args);
  list.args.block_keys = block_keys;
  KernelId& kernel = list.launches[0].kernel;
  kernel = kernel == KernelId::kSplit ? KernelId::kPublishSplit : KernelId::kPublishSieve;
  return list;
}

}  // namespace keysieve

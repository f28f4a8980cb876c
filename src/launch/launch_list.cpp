#include "launch/launch_list.hpp"

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

SelectKernelArgs kernel_args(const SelectPlan& plan, const SelectArgs& args) {
  const bool masked = plan.problem.mask_neg_inf != 0;
  SelectKernelArgs out{};
  out.problem = plan.problem;
  out.args = args;
  out.candidate_capacity = plan.candidate_capacity;
  out.sample_vectors = plan.sample_vectors;
  out.split = plan.chunks_per_row;
  // A masked NaN is absent, so it may rank lowest whatever the policy says.
  out.nan_is_highest = plan.problem.nan_policy == NanPolicy::kHighest && !masked ? 1 : 0;
  out.floor_key = masked ? negative_infinity_key(plan.problem.score_type) + 1 : 0;
  return out;
}

KernelId kernel_of(Route route) {
  switch (route) {
    case Route::kTrivial:
      return KernelId::kTrivial;
    case Route::kTile:
      return KernelId::kTile;
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
  } else {
    add(kernel_of(plan.route), rows, 1);
  }
  return list;
}

}  // namespace keysieve

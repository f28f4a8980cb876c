// Route choice for the CUDA engine from device traits and tuning. Conditions: docs/algorithms/cuda.md.
#include <algorithm>

#include "core/names.hpp"
#include "cuda/block/limits.hpp"
#include "cuda/route/wide_parts.hpp"
#include "plan/cta_shape.hpp"
#include "plan/policy.hpp"

namespace keysieve {
namespace {

constexpr std::int64_t kMaxCudaK = 8192;
constexpr std::int64_t kMaxBlocks = 0x7FFFFFFF;
constexpr std::int64_t kCtasPerSm = 2;

bool is_cuda_route(Route route) {
  return route == Route::kTile || route == Route::kSieve || route == Route::kSplit || route == Route::kWide ||
         route == Route::kTrivial;
}

bool runs(Route route, const DeviceProfile& device) { return why_unavailable(device, route) == nullptr; }

bool every_route_runs(const DeviceProfile& device) {
  return std::all_of(device.unavailable.begin(), device.unavailable.end(),
                     [](const char* reason) { return reason == nullptr; });
}

std::int64_t row_bytes(const SelectProblem& problem) { return problem.width * size_bytes(problem.score_type); }

std::int64_t cta_slots(const DeviceProfile& device) { return device.num_sms * kCtasPerSm; }

// CTAs that share a row of a small batch: a power of two. Measured on the H200: sharing pays while all CTAs of the
// launch have an SM of their own, on shorter rows only while they take half of the SMs; eight gain as much as sixteen
// until rows are very long; and one cluster more than fits at once doubles the time.
std::int32_t split_factor(const SelectProblem& problem, const DeviceProfile& device) {
  const std::int64_t rows = std::max<std::int64_t>(problem.rows, 1);
  const CudaTuning& tuning = device.tuning;
  const bool long_row = problem.width >= tuning.split_long_row_columns;
  const std::int64_t ctas = long_row ? device.num_sms : device.num_sms * tuning.split_sm_percent / 100;
  const std::int32_t most =
      std::min(max_cluster_ctas(device), problem.width >= tuning.split_very_long_row_columns ? 16 : 8);
  std::int32_t factor = 1;
  while (factor * 2 <= most && rows * factor * 2 <= ctas && problem.width / (factor * 2) >= tuning.split_min_columns) {
    factor *= 2;
  }
  if (factor == 16 && rows > device.resident_clusters_of_16) factor = 8;
  if (factor == 8 && rows > device.resident_clusters_of_8) factor = 4;
  return factor;
}

std::int64_t wide_split(const SelectProblem& problem, const DeviceProfile& device) {
  const std::int64_t parts = cta_slots(device) / std::max<std::int64_t>(problem.rows, 1);
  return std::clamp<std::int64_t>(parts, 1, cta_slots(device));
}

std::int64_t wide_bytes(const SelectProblem& problem, std::int64_t parts) {
  return parts * wide_part_bytes(problem.width, problem.k) + kWorkspaceAlignment;
}

// Whether the caller's tuning and the device let route split run at all.
bool can_split(const SelectProblem& problem, const DeviceProfile& device) {
  return max_cluster_ctas(device) > 1 && runs(Route::kSplit, device) &&
         (problem.threads == kAuto || problem.threads <= kMaxSplitThreads);
}

// CTAs for a row of route tile; 0 where no number of them holds it. Up to kOneCtaColumns one CTA takes least time, more
// are for as few of a cluster as have no more than kClusterCtaColumns each; where the SMs do not suffice for that, one
// CTA with all it can hold is better than a cluster that does the same.
std::int32_t tile_split(const SelectProblem& problem, const DeviceProfile& device) {
  constexpr std::int64_t kOneCtaColumns = 16384;
  constexpr std::int64_t kClusterCtaColumns = 8192;
  if (problem.split != kAuto) return problem.split;
  const std::int32_t threads = problem.threads != kAuto ? problem.threads : kMaxCtaThreads;
  const bool one_holds = tile_holds(problem.width, threads, 1);
  if (one_holds && problem.width <= kOneCtaColumns) return 1;
  const std::int64_t rows = std::max<std::int64_t>(problem.rows, 1);
  // As for route split: not all SMs can be had in clusters of four, and one cluster too many takes twice as long.
  const std::int64_t ctas = device.num_sms * device.tuning.split_sm_percent / 100;
  std::int32_t most = 0;
  for (std::int32_t split = 2; split <= max_cluster_ctas(device) && rows * split <= ctas; split *= 2) {
    if (split == 8 && rows > device.resident_clusters_of_8) break;
    if (split == 16 && rows > device.resident_clusters_of_16) break;
    most = split;
    if (problem.width <= split * kClusterCtaColumns && tile_holds(problem.width, threads, split)) return split;
  }
  if (one_holds) return 1;
  return tile_holds(problem.width, threads, most) ? most : 0;
}

CtaShape shape_of(const SelectProblem& problem, Route route, const DeviceProfile& device) {
  return choose_cta_shape(problem, route, route == Route::kTile ? tile_split(problem, device) : 1, device);
}

// Whether a row of that width goes to route tile in every batch size (which decides over the threads of a CTA).
bool always_fits_tile(SelectProblem problem, const DeviceProfile& device) {
  if (row_bytes(problem) > std::min(device.tuning.tile_max_bytes, device.tuning.tile_max_bytes_few_rows)) return false;
  problem.rows = 1;
  const bool few = shape_of(problem, Route::kTile, device).fits;
  problem.rows = kMaxBlocks;
  return few && shape_of(problem, Route::kTile, device).fits;
}

// Monotone in rows, width and k, so that one arena serves every size up to a captured one: where `auto` could take
// route wide for some smaller call, the larger one asks for that call's workspace too.
std::int64_t workspace_bytes(const SelectProblem& problem, const RouteChoice& choice, const DeviceProfile& device) {
  if (problem.rows == 0) return 0;
  if (problem.route == Route::kAuto) {
    // Route wide may have to stand in for any other.
    if (!every_route_runs(device)) return wide_bytes(problem, std::max(problem.rows, cta_slots(device)));
    const bool some_call_is_wide = can_split(problem, device) ? problem.width >= device.tuning.wide_min_columns
                                                              : !always_fits_tile(problem, device);
    return some_call_is_wide ? wide_bytes(problem, cta_slots(device)) : 0;
  }
  if (choice.route != Route::kWide) return 0;
  if (problem.split != kAuto) return wide_bytes(problem, problem.rows * problem.split);
  return wide_bytes(problem, std::max(problem.rows, cta_slots(device)));
}

// The longest row of route tile. Where several CTAs share an SM, the rows on chip cost the others room: longer ones pay
// only for many slots, of which the sieve makes more work, and where no CTA would be waiting for the room.
std::int64_t tile_max_bytes(const SelectProblem& problem, const DeviceProfile& device) {
  if (problem.rows <= device.num_sms) return device.tuning.tile_max_bytes_few_rows;
  const bool longer = problem.k > 1024 || problem.rows <= cta_slots(device);
  return longer ? 2 * device.tuning.tile_max_bytes : device.tuning.tile_max_bytes;
}

RouteChoice route_of(const SelectProblem& problem, const DeviceProfile& device) {
  RouteChoice choice;
  const bool needs_scores = problem.mask_neg_inf != 0 || problem.order == SlotOrder::kScore;
  const bool clusters = can_split(problem, device);
  const bool few_rows = clusters ? split_factor(problem, device) > 1 : problem.rows * 2 <= cta_slots(device);
  const CudaTuning& tuning = device.tuning;
  if (problem.route != Route::kAuto) {
    choice.route = problem.route;
    choice.reason = Reason::kForced;
  } else if (problem.width <= problem.k && !needs_scores && runs(Route::kTrivial, device)) {
    choice.route = Route::kTrivial;
    choice.reason = Reason::kCudaRowsNotLongerThanK;
  } else if (row_bytes(problem) <= tile_max_bytes(problem, device) && runs(Route::kTile, device) &&
             shape_of(problem, Route::kTile, device).fits) {
    choice.route = Route::kTile;
    choice.reason = Reason::kCudaFitsOnChip;
  } else if ((!few_rows && runs(Route::kSieve, device)) || (!clusters && !runs(Route::kWide, device))) {
    choice.route = Route::kSieve;
    choice.reason = Reason::kCudaEnoughRows;
  } else if (!clusters) {
    choice.route = Route::kWide;
    choice.reason = Reason::kCudaFewRowsNoClusters;
  } else if (problem.width >= tuning.wide_min_columns && problem.rows <= tuning.wide_max_rows &&
             runs(Route::kWide, device)) {
    choice.route = Route::kWide;
    choice.reason = Reason::kCudaFewVeryWideRows;
  } else {
    choice.route = Route::kSplit;
    choice.reason = Reason::kCudaFewRows;
  }
  return choice;
}

std::int32_t split_of(const SelectProblem& problem, Route route, const DeviceProfile& device) {
  if (route == Route::kTile) return tile_split(problem, device);
  if (route != Route::kSplit && route != Route::kWide) return 1;
  if (problem.split != kAuto) return problem.split;
  return route == Route::kSplit ? split_factor(problem, device)
                                : static_cast<std::int32_t>(wide_split(problem, device));
}

void check_trivial(const SelectProblem& problem, std::vector<std::string>& faults) {
  if (problem.route != Route::kTrivial) return;
  if (problem.width > problem.k) {
    faults.push_back("route: trivial takes rows no longer than k=" + std::to_string(problem.k) + ", got width " +
                     std::to_string(problem.width));
  }
  if (problem.mask_neg_inf != 0) faults.push_back("route: trivial reads no score, so it cannot mask -inf");
  if (problem.order == SlotOrder::kScore) faults.push_back("route: trivial reads no score, so it cannot order by it");
}

void check_split(const SelectProblem& problem, const DeviceProfile& device, std::vector<std::string>& faults) {
  const std::int32_t clusters = max_cluster_ctas(device);
  if (problem.route == Route::kSplit && clusters < 2) {
    faults.push_back(std::string("route: split needs thread-block clusters, which ") + device.name + " lacks");
    return;
  }
  if (problem.split == kAuto) return;
  if (problem.route != Route::kTile && problem.route != Route::kSplit && problem.route != Route::kWide &&
      problem.split != 1) {
    faults.push_back("split: only the routes tile, split and wide share a row between CTAs, got split " +
                     std::to_string(problem.split));
  }
  if ((problem.route == Route::kSplit || problem.route == Route::kTile) && problem.split > clusters) {
    faults.push_back("split: clusters of at most " + std::to_string(clusters) + " CTAs run on " + device.name +
                     ", got " + std::to_string(problem.split));
  }
  if (problem.rows > 0 && problem.split > kMaxBlocks / problem.rows) {
    faults.push_back("split: at most " + std::to_string(kMaxBlocks) + " CTAs can be launched, got rows=" +
                     std::to_string(problem.rows) + " times " + std::to_string(problem.split));
  }
}

}  // namespace

std::vector<std::string> cuda_route_faults(const SelectProblem& problem, const DeviceProfile& device) {
  std::vector<std::string> faults;
  if (problem.route != Route::kAuto && !is_cuda_route(problem.route)) {
    faults.push_back(std::string("route: the cuda backend has trivial, tile, sieve, split and wide, got ") +
                     name_of(problem.route));
  }
  if (problem.k > kMaxCudaK) {
    faults.push_back("k: the cuda backend takes 1.." + std::to_string(kMaxCudaK) + ", got " +
                     std::to_string(problem.k));
  }
  if (problem.threads != kAuto &&
      (problem.threads % kWarpThreads != 0 || problem.threads < kWarpThreads || problem.threads > kMaxCtaThreads)) {
    faults.push_back("threads: expected a multiple of 32 in 32..1024 for a CTA, got " +
                     std::to_string(problem.threads));
  }
  if (is_cuda_route(problem.route) && !runs(problem.route, device)) {
    faults.push_back(std::string("route: ") + name_of(problem.route) + " is unavailable on " + device.name + ": " +
                     why_unavailable(device, problem.route));
    return faults;
  }
  if (problem.route == Route::kSplit && problem.threads != kAuto && problem.threads > kMaxSplitThreads) {
    faults.push_back("threads: route split takes at most " + std::to_string(kMaxSplitThreads) + " a CTA, got " +
                     std::to_string(problem.threads));
  }
  check_trivial(problem, faults);
  check_split(problem, device, faults);
  if (!faults.empty()) return faults;
  const Route route = route_of(problem, device).route;
  if (!runs(route, device)) {
    faults.push_back(std::string("route: none is left for this problem on ") + device.name + ": " +
                     why_unavailable(device, route));
    return faults;
  }
  const CtaShape shape = shape_of(problem, route, device);
  if (route == Route::kTile && !tile_holds(problem.width, shape.threads, tile_split(problem, device))) {
    faults.push_back("route: tile keeps a row in the registers of one CTA, " + std::to_string(kMostTileThreadColumns) +
                     " columns a thread, or of a cluster, " + std::to_string(kTileThreadColumns) +
                     " columns a thread; width " + std::to_string(problem.width) + " is too much for " +
                     std::to_string(shape.threads) + " threads each");
  } else if (!shape.fits) {
    faults.push_back(std::string("route: ") + name_of(route) + " needs more shared memory than the " +
                     std::to_string(device.shared_bytes_per_cta) + " bytes that a CTA has on " + device.name +
                     " for width " + std::to_string(problem.width) + " and k " + std::to_string(problem.k));
  }
  return faults;
}

RouteChoice choose_cuda_route(const SelectProblem& problem, const DeviceProfile& device) {
  RouteChoice choice = route_of(problem, device);
  choice.chunks_per_row = split_of(problem, choice.route, device);
  const CtaShape shape = shape_of(problem, choice.route, device);
  choice.threads = shape.threads;
  choice.shared_bytes = shape.shared_bytes;
  choice.candidate_capacity = shape.candidate_capacity;
  choice.sample_vectors = shape.sample_vectors;
  choice.workspace_bytes = workspace_bytes(problem, choice, device);
  return choice;
}

}  // namespace keysieve

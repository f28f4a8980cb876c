// Route choice for the CUDA engine from device traits (design: docs/architecture.md, "Routes"). The engine's
// kernels are not part of this version; the policy lets a plan be made, read and tested for a named device.
#include <algorithm>

#include "core/names.hpp"
#include "plan/policy.hpp"

namespace keysieve {
namespace {

constexpr std::int64_t kMaxCudaK = 8192;
constexpr std::int64_t kTileColumns = 16384;       // a row of FP32 that one CTA holds on chip (64 KiB)
constexpr std::int64_t kSplitMinColumns = 16384;   // shorter rows gain nothing from a second CTA
constexpr std::int64_t kWideMinColumns = 1 << 20;  // from here one cluster is too little for one row
constexpr std::int32_t kThreadsPerCta = 512;
constexpr std::int64_t kCtasPerSm = 2;

bool is_cuda_route(Route route) {
  return route == Route::kTile || route == Route::kSieve || route == Route::kSplit || route == Route::kWide;
}

// CTAs that share a row so that all SM slots are busy: a power of two, at most a portable cluster of 8.
std::int32_t split_factor(const SelectProblem& problem, const DeviceProfile& device) {
  const std::int64_t slots = device.num_sms * kCtasPerSm;
  std::int32_t factor = 2;
  while (factor < std::min(device.max_cluster_ctas, 8) && problem.rows * factor * 2 <= slots &&
         problem.width / (factor * 2) >= kSplitMinColumns / 2) {
    factor *= 2;
  }
  return factor;
}

// Candidates of every CTA meet in global memory: k survivors of 8 bytes each.
std::int64_t wide_workspace_bytes(const SelectProblem& problem, const DeviceProfile& device) {
  const std::int64_t ctas = device.num_sms * kCtasPerSm;
  return problem.rows * ctas * std::min(problem.k, problem.width) * 8;
}

}  // namespace

std::vector<std::string> cuda_route_faults(const SelectProblem& problem, const DeviceProfile& device) {
  std::vector<std::string> faults;
  if (problem.route != Route::kAuto && !is_cuda_route(problem.route)) {
    faults.push_back(std::string("route: the cuda backend has tile, sieve, split and wide, got ") +
                     name_of(problem.route));
  }
  if (problem.k > kMaxCudaK) {
    faults.push_back("k: the cuda backend takes 1.." + std::to_string(kMaxCudaK) + ", got " +
                     std::to_string(problem.k));
  }
  if (problem.route == Route::kTile && problem.width > kTileColumns) {
    faults.push_back("route: tile holds rows of at most " + std::to_string(kTileColumns) + " columns, got width " +
                     std::to_string(problem.width));
  }
  if (problem.route == Route::kSplit && device.max_cluster_ctas < 2) {
    faults.push_back(std::string("route: split needs thread-block clusters, which ") + device.name + " lacks");
  }
  return faults;
}

RouteChoice choose_cuda_route(const SelectProblem& problem, const DeviceProfile& device) {
  RouteChoice choice;
  choice.threads = kThreadsPerCta;
  const std::int64_t slots = device.num_sms * kCtasPerSm;
  const bool few_rows = problem.rows * 2 <= slots;

  if (problem.route != Route::kAuto) {
    choice.route = problem.route;
    choice.reason = Reason::kForced;
  } else if (problem.width <= kTileColumns) {
    choice.route = Route::kTile;
    choice.reason = Reason::kCudaFitsOnChip;
  } else if (!few_rows) {
    choice.route = Route::kSieve;
    choice.reason = Reason::kCudaEnoughRows;
  } else if (problem.width >= kWideMinColumns && problem.rows * 8 < device.num_sms) {
    choice.route = Route::kWide;
    choice.reason = Reason::kCudaFewVeryWideRows;
  } else if (device.max_cluster_ctas >= 2) {
    choice.route = Route::kSplit;
    choice.reason = Reason::kCudaFewRows;
  } else {
    choice.route = Route::kWide;
    choice.reason = Reason::kCudaFewRowsNoClusters;
  }
  if (choice.route == Route::kSplit) choice.chunks_per_row = split_factor(problem, device);
  if (choice.route == Route::kWide) {
    choice.chunks_per_row =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(slots / std::max<std::int64_t>(problem.rows, 1), 1, slots));
    choice.workspace_bytes = wide_workspace_bytes(problem, device);
  }
  return choice;
}

}  // namespace keysieve

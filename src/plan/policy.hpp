// Policies: which route a backend takes, and why. Each is a pure function of the problem and the traits it is
// given; the planner calls them and adds nothing to their decision.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "keysieve/types.hpp"
#include "plan/device_profile.hpp"

namespace keysieve {

// Stored in SelectPlan::reason. Append only: plans are serialised.
enum class Reason : std::int32_t {
  kNone = 0,
  kForced = 1,
  kReferenceAsked = 2,
  kCpuLibraryMissing = 3,
  kCpuOneThread = 4,
  kCpuEnoughRows = 5,
  kCpuFewWideRows = 6,
  kCpuRowsTooShortToShare = 7,
  kCudaFitsOnChip = 8,
  kCudaEnoughRows = 9,
  kCudaFewRows = 10,
  kCudaFewRowsNoClusters = 11,
  kCudaFewVeryWideRows = 12,
  kCudaRowsNotLongerThanK = 13,
};

const char* reason_text(Reason reason);

struct RouteChoice {
  Route route = Route::kAuto;
  Reason reason = Reason::kNone;
  std::int32_t threads = 1;
  std::int32_t chunks_per_row = 1;
  std::int64_t workspace_bytes = 0;
  // CUDA only.
  std::int32_t shared_bytes = 0;
  std::int32_t candidate_capacity = 0;
  std::int32_t sample_vectors = 0;
};

// Unmet conditions of `problem.route` (or of every route, under kAuto); empty where the policy can choose.
std::vector<std::string> cpu_route_faults(const SelectProblem& problem);
RouteChoice choose_cpu_route(const SelectProblem& problem, std::int32_t default_threads);

std::vector<std::string> cuda_route_faults(const SelectProblem& problem, const DeviceProfile& device);
RouteChoice choose_cuda_route(const SelectProblem& problem, const DeviceProfile& device);

}  // namespace keysieve

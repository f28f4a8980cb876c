// What the planner knows of a device. Plain data: profiles of named devices let the planner be tested, and
// asked, without the device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "keysieve/types.hpp"
#include "plan/cuda_tuning.hpp"

namespace keysieve {

inline constexpr std::size_t kNumRoutes = static_cast<std::size_t>(Route::kTrivial) + 1;

struct DeviceProfile {
  const char* name;
  std::int32_t compute_capability;  // 90 for 9.0
  std::int32_t num_sms;
  std::int64_t shared_bytes_per_cta;  // opt-in maximum
  std::int64_t shared_bytes_per_sm;
  std::int64_t l2_bytes;
  // Clusters of the split kernel, in its largest shape, that fit at once; 0: such clusters do not run there.
  std::int32_t resident_clusters_of_8;
  std::int32_t resident_clusters_of_16;
  // Why a route cannot run there, by Route; nullptr: nothing is known against it.
  std::array<const char*, kNumRoutes> unavailable{};
  // Where one route takes over from another. Sound by tuning_fault().
  CudaTuning tuning{};
};

// nullptr where the route can run. The clusters that route split needs are a question of their own.
constexpr const char* why_unavailable(const DeviceProfile& device, Route route) {
  return device.unavailable[static_cast<std::size_t>(route)];
}

// The largest cluster that runs on the device; 1: none.
constexpr std::int32_t max_cluster_ctas(const DeviceProfile& device) {
  return device.resident_clusters_of_16 > 0 ? 16 : (device.resident_clusters_of_8 > 0 ? 8 : 1);
}

std::span<const DeviceProfile> device_profiles();
const DeviceProfile* find_device_profile(std::string_view name);

// The table that is compiled in for such a device; nullptr: none.
const BuiltInTuning* find_built_in_tuning(std::string_view gpu, std::int32_t compute_capability, std::int32_t num_sms);

}  // namespace keysieve

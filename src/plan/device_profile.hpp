// What the planner knows of a device. Plain data: profiles of named devices let the planner be tested, and
// asked, without the device.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace keysieve {

struct DeviceProfile {
  const char* name;
  std::int32_t compute_capability;  // 90 for 9.0
  std::int32_t num_sms;
  std::int64_t shared_bytes_per_cta;  // opt-in maximum
  std::int64_t shared_bytes_per_sm;
  std::int64_t l2_bytes;
  std::int32_t max_cluster_ctas;        // 1: no clusters
  std::int32_t resident_clusters_of_8;  // 8-CTA clusters that fit at once; 0 without clusters
};

std::span<const DeviceProfile> device_profiles();
const DeviceProfile* find_device_profile(std::string_view name);

}  // namespace keysieve

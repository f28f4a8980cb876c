#include "plan/device_profile.hpp"

#include <array>

namespace keysieve {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;

// h200: the resident clusters are readings of the occupancy query, not 132 divided by the size.
constexpr std::array kProfiles = {
    DeviceProfile{"h200", 90, 132, 227 * kKiB, 228 * kKiB, 60 * kMiB, 15, 7},
    DeviceProfile{"a100", 80, 108, 163 * kKiB, 164 * kKiB, 40 * kMiB, 0, 0},
};

}  // namespace

std::span<const DeviceProfile> device_profiles() { return kProfiles; }

const DeviceProfile* find_device_profile(std::string_view name) {
  for (const DeviceProfile& profile : kProfiles) {
    if (name == profile.name) return &profile;
  }
  return nullptr;
}

}  // namespace keysieve

#include "plan/device_profile.hpp"

#include <array>

#include "plan/built_in_tunings.hpp"

namespace keysieve {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;

constexpr CudaTuning built_in_tuning(std::string_view name) {
  for (const BuiltInTuning& table : kBuiltInTunings) {
    if (name == table.name) return table.tuning;
  }
  return {};
}

// h200: the resident clusters are readings of the occupancy query, not 132 divided by the size.
constexpr std::array kProfiles = {
    DeviceProfile{"h200", 90, 132, 227 * kKiB, 228 * kKiB, 60 * kMiB, 15, 7, {}, built_in_tuning("h200")},
    DeviceProfile{"a100", 80, 108, 163 * kKiB, 164 * kKiB, 40 * kMiB, 0, 0, {}, built_in_tuning("a100")},
};

}  // namespace

std::span<const DeviceProfile> device_profiles() { return kProfiles; }

const DeviceProfile* find_device_profile(std::string_view name) {
  for (const DeviceProfile& profile : kProfiles) {
    if (name == profile.name) return &profile;
  }
  return nullptr;
}

const BuiltInTuning* find_built_in_tuning(std::string_view gpu, std::int32_t compute_capability, std::int32_t num_sms) {
  for (const BuiltInTuning& table : kBuiltInTunings) {
    if (gpu == table.gpu && compute_capability == table.compute_capability && num_sms == table.num_sms) return &table;
  }
  return nullptr;
}

}  // namespace keysieve

// A device made ready: its traits, its kernels with their attributes set. Filled once per device, never changed.
#pragma once

#include <array>
#include <string>

#include "cuda/kernel_table.hpp"
#include "keysieve/status.hpp"
#include "launch/launch_list.hpp"
#include "plan/device_profile.hpp"

namespace keysieve::cuda {

struct DeviceEngine {
  DeviceEngine() = default;
  // The profile points into the strings beside it.
  DeviceEngine(const DeviceEngine&) = delete;
  DeviceEngine& operator=(const DeviceEngine&) = delete;

  std::int32_t ordinal = 0;
  std::string name;
  std::array<std::string, kNumRoutes> reasons;  // why a route is unavailable, empty where it is not
  DeviceProfile profile{};
  KernelTable kernels;
};

// Reads traits, loads the kernels of `kernels` and sets their attributes on the device. A kernel that is missing or
// whose attributes cannot be set makes its route unavailable, with the reason; only where no route is left is the
// device refused. Does not allocate on the device and enqueues nothing, so it may run while a stream is being captured.
Status make_device_engine(std::int32_t ordinal, const KernelTable& kernels, DeviceEngine& engine);

// Enqueues the launches on `stream`.
Status enqueue(const DeviceEngine& engine, const LaunchList& list, void* stream);

}  // namespace keysieve::cuda

// A device made ready: its traits, its kernels with their attributes set. Filled once per device, never changed.
#pragma once

#include <memory>
#include <string>

#include "cuda/kernel_table.hpp"
#include "keysieve/status.hpp"
#include "launch/launch_list.hpp"
#include "plan/device_profile.hpp"

namespace keysieve::cuda {

struct DeviceEngine {
  std::int32_t ordinal = 0;
  std::string name;
  DeviceProfile profile{};
  KernelTable kernels;
};

// Reads traits, loads the kernels of `kernels` and sets their attributes on the device. Does not allocate on the device
// and enqueues nothing, so it may run while a stream is being captured.
Status make_device_engine(std::int32_t ordinal, const KernelTable& kernels, DeviceEngine& engine);

// Enqueues the launches on `stream`.
Status enqueue(const DeviceEngine& engine, const LaunchList& list, void* stream);

}  // namespace keysieve::cuda

// Enqueues the kernels around selection. They need no attributes set: at most 48 KiB of shared memory, no clusters.
#pragma once

#include "keysieve/status.hpp"
#include "launch/kernel_call.hpp"
#include "plan/device_profile.hpp"

namespace keysieve::cuda {

Status enqueue_calls(const DeviceProfile& device, std::int32_t ordinal, const KernelCall* calls, int count,
                     void* stream);

}  // namespace keysieve::cuda

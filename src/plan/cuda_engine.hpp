// The planner's and the C ABI's view of the CUDA engine: there in every build, so that neither asks how it was built.
#pragma once

#include <cstdint>
#include <string>

#include "keysieve/status.hpp"
#include "launch/kernel_call.hpp"
#include "launch/launch_list.hpp"
#include "plan/device_profile.hpp"
#include "plan/tuning_file.hpp"

namespace keysieve {

struct CudaEngine {
  const DeviceProfile* profile = nullptr;  // nullptr: the device cannot be used
  std::string problem;                     // why
  LoadedTuning tuning{};                   // what profile->tuning is, and where it came from
};

// Prepares the device on first use and remembers the outcome; thread-safe; legal while a stream of this thread is being
// captured.
const CudaEngine& cuda_engine(std::int32_t device_ordinal);

// Enqueues the launches on a stream of their device.
Status run_on_cuda(const LaunchList& launches, void* stream);
// The same for kernels around selection, one after the other.
Status run_on_cuda(std::int32_t device_ordinal, const KernelCall* calls, int count, void* stream);

}  // namespace keysieve

#include "cuda/device_tuning.hpp"

#include <cuda_runtime.h>

#include <string>

#include "cuda/device_guard.hpp"

namespace keysieve::cuda {

LoadedTuning tune_device(std::int32_t ordinal, DeviceProfile& profile) {
  const RelaxedCapture relaxed;
  cudaDeviceProp properties{};
  if (const cudaError_t error = cudaGetDeviceProperties(&properties, ordinal); error != cudaSuccess) {
    cudaGetLastError();  // it must not surface in the caller's next call
    LoadedTuning unknown;
    unknown.problem =
        std::string("the device's name is unknown: cudaGetDeviceProperties: ") + cudaGetErrorString(error);
    profile.tuning = unknown.tuning;
    return unknown;
  }
  TuningKey key;
  key.library = tuning_library();
  key.gpu = properties.name;
  key.compute_capability = profile.compute_capability;
  key.num_sms = profile.num_sms;
  key.toolkit = std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
  LoadedTuning loaded = load_tuning(key, read_tuning_environment());
  profile.tuning = loaded.tuning;
  return loaded;
}

}  // namespace keysieve::cuda

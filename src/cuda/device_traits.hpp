// Devices of this machine as the CUDA engine will see them. No CUDA header here: host code includes this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "keysieve/types.hpp"
#include "plan/tuning_file.hpp"

namespace keysieve::cuda {

struct DeviceTraits {
  std::int32_t ordinal = 0;
  std::string name;
  std::int32_t compute_capability = 0;  // 90 for 9.0
  std::string pci_bus_id;               // "0000:18:00.0"
  std::int32_t num_sms = 0;
  std::int64_t shared_bytes_per_cta = 0;
  std::int64_t shared_bytes_per_sm = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  // As the selection engine sees the device, which is what the planner goes by.
  std::string engine_problem;  // why the engine cannot use the device, "" where it can
  struct UnavailableRoute {
    Route route;
    std::string reason;
  };
  std::vector<UnavailableRoute> unavailable_routes;
  std::int32_t resident_clusters_of_8 = 0;  // of the split kernel; 0: none fit, or the device has no clusters
  std::int32_t resident_clusters_of_16 = 0;
  LoadedTuning tuning;
  std::string key_order_self_test;  // "passed", "failed: ..." or "not run: ..."
};

// The nvcc that compiled the device code.
struct CudaCompiler {
  int major = 0;
  int minor = 0;
  std::string version;  // "13.0.88"
};

struct CudaInfo {
  CudaCompiler compiler;
  std::string toolkit;  // of the build, "13.0"
  std::string driver;   // highest CUDA version the driver serves, "" without a driver
  std::string problem;  // why there is no device, "" where there is one
  std::vector<DeviceTraits> devices;
};

// Never throws on a machine without a GPU; the reason is in `problem`.
CudaInfo read_cuda_info();

}  // namespace keysieve::cuda

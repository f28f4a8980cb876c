#include "bench/cuda_fingerprint.hpp"

#include <fstream>
#include <string>

#include "bench/device.hpp"
#include "bench/result.hpp"

namespace keysieve::bench {
namespace {

// The driver's own number, such as 580.95; empty where the kernel module says nothing.
std::string driver_module() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  return line;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

nlohmann::ordered_json cuda_fingerprint(const Options& options, const cudaDeviceProp& device) {
  int driver = 0, runtime = 0;
  check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check_cuda(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  nlohmann::ordered_json json = common_fingerprint(options, "cuda");
  json.update({{"gpu", device.name},
               {"compute_capability", std::to_string(device.major) + "." + std::to_string(device.minor)},
               {"num_sms", device.multiProcessorCount},
               {"l2_bytes", device.l2CacheSize},
               {"memory_bytes", device.totalGlobalMem},
               {"driver", version_text(driver)},
               {"driver_module", driver_module()},
               {"toolkit", version_text(CUDART_VERSION)},
               {"cuda_runtime", version_text(runtime)}});
  return json;
}

}  // namespace keysieve::bench

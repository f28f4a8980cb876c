// Reads device traits and proves on each device that the key order of the host is the key order of the GPU.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include "core/key_order.hpp"
#include "cuda/device_traits.hpp"
#include "plan/cuda_engine.hpp"

namespace keysieve::cuda {
namespace {

constexpr int kSelfTestThreads = 256;
constexpr int kSelfTestPatterns = 1 << 16;

// Every 16-bit pattern in its own format, and spread over the high half of an FP32 pattern.
__global__ void __launch_bounds__(kSelfTestThreads) key_order_kernel(Key* keys) {
  const unsigned pattern = blockIdx.x * kSelfTestThreads + threadIdx.x;
  const auto half = static_cast<std::uint16_t>(pattern);
  keys[pattern] = ordered_key<Float16Bits>(half, kKeyNanLowest);
  keys[kSelfTestPatterns + pattern] = ordered_key<BFloat16Bits>(half, kKeyNanHighest);
  keys[2 * kSelfTestPatterns + pattern] =
      ordered_key<Float32Bits>((pattern << 16) | (pattern * 0x9E37u & 0xFFFFu), kKeyNanLowest);
}

Key expected_key(int index) {
  const auto pattern = static_cast<std::uint32_t>(index % kSelfTestPatterns);
  const auto half = static_cast<std::uint16_t>(pattern);
  if (index < kSelfTestPatterns) return ordered_key<Float16Bits>(half, kKeyNanLowest);
  if (index < 2 * kSelfTestPatterns) return ordered_key<BFloat16Bits>(half, kKeyNanHighest);
  return ordered_key<Float32Bits>((pattern << 16) | (pattern * 0x9E37u & 0xFFFFu), kKeyNanLowest);
}

std::string run_key_order_self_test() {
  constexpr int kCount = 3 * kSelfTestPatterns;
  Key* device_keys = nullptr;
  if (const cudaError_t error = cudaMalloc(&device_keys, kCount * sizeof(Key)); error != cudaSuccess) {
    return std::string("not run: ") + cudaGetErrorString(error);
  }
  key_order_kernel<<<kSelfTestPatterns / kSelfTestThreads, kSelfTestThreads>>>(device_keys);
  std::vector<Key> keys(kCount);
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) {
    error = cudaMemcpy(keys.data(), device_keys, kCount * sizeof(Key), cudaMemcpyDeviceToHost);
  }
  cudaFree(device_keys);
  if (error != cudaSuccess) return std::string("not run: ") + cudaGetErrorString(error);
  for (int i = 0; i < kCount; ++i) {
    if (keys[static_cast<std::size_t>(i)] != expected_key(i)) {
      char text[96];
      std::snprintf(text, sizeof text, "failed: pattern %d has key %08x, expected %08x", i,
                    keys[static_cast<std::size_t>(i)], expected_key(i));
      return text;
    }
  }
  return "passed";
}

void read_engine(int ordinal, DeviceTraits& traits) {
  const CudaEngine& engine = cuda_engine(ordinal);
  traits.engine_problem = engine.problem;
  if (engine.profile == nullptr) return;
  traits.tuning = engine.tuning;
  traits.resident_clusters_of_8 = engine.profile->resident_clusters_of_8;
  traits.resident_clusters_of_16 = engine.profile->resident_clusters_of_16;
  for (const Route route : {Route::kTrivial, Route::kTile, Route::kSieve, Route::kSplit, Route::kWide}) {
    const char* reason = why_unavailable(*engine.profile, route);
    if (reason != nullptr) traits.unavailable_routes.push_back({route, reason});
  }
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string read_traits(int ordinal, DeviceTraits& traits) {
  cudaDeviceProp properties{};
  if (const cudaError_t error = cudaGetDeviceProperties(&properties, ordinal); error != cudaSuccess) {
    return cudaGetErrorString(error);
  }
  traits.ordinal = ordinal;
  traits.name = properties.name;
  traits.compute_capability = properties.major * 10 + properties.minor;
  char bus_id[32];
  std::snprintf(bus_id, sizeof bus_id, "%04x:%02x:%02x.0", static_cast<unsigned>(properties.pciDomainID),
                static_cast<unsigned>(properties.pciBusID), static_cast<unsigned>(properties.pciDeviceID));
  traits.pci_bus_id = bus_id;
  traits.num_sms = properties.multiProcessorCount;
  traits.shared_bytes_per_cta = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin);
  traits.shared_bytes_per_sm = static_cast<std::int64_t>(properties.sharedMemPerMultiprocessor);
  traits.l2_bytes = properties.l2CacheSize;
  traits.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  if (const cudaError_t error = cudaSetDevice(ordinal); error != cudaSuccess) return cudaGetErrorString(error);
  traits.key_order_self_test = run_key_order_self_test();
  read_engine(ordinal, traits);
  return "";
}

}  // namespace

CudaInfo read_cuda_info() {
  CudaInfo info;
  info.compiler = {__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__,
                   std::to_string(__CUDACC_VER_MAJOR__) + "." + std::to_string(__CUDACC_VER_MINOR__) + "." +
                       std::to_string(__CUDACC_VER_BUILD__)};
  info.toolkit = version_text(CUDART_VERSION);
  int driver = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0) info.driver = version_text(driver);
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) {
    cudaGetLastError();
    info.problem = cudaGetErrorString(error);
    return info;
  }
  int caller_device = 0;
  cudaGetDevice(&caller_device);
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    DeviceTraits traits;
    if (const std::string problem = read_traits(ordinal, traits); problem.empty()) {
      info.devices.push_back(traits);
    } else {
      info.problem = "device " + std::to_string(ordinal) + ": " + problem;
    }
  }
  if (count > 0) cudaSetDevice(caller_device);
  return info;
}

}  // namespace keysieve::cuda

// The engines of this process, one per device, each made once.
#include "plan/cuda_engine.hpp"

#include <cuda_runtime.h>

#include <array>
#include <mutex>

#include "cuda/device_engine.hpp"
#include "cuda/device_tuning.hpp"
#include "cuda/operation_launch.hpp"

namespace keysieve {
namespace {

constexpr std::int32_t kMaxDevices = 64;

struct Entry {
  std::once_flag once;
  cuda::DeviceEngine device;
  CudaEngine engine;
};

Entry& entry_of(std::int32_t ordinal) {
  static std::array<Entry, kMaxDevices> entries;
  return entries[static_cast<std::size_t>(ordinal)];
}

std::string why_absent(std::int32_t ordinal) {
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) {
    cudaGetLastError();
    return std::string("no CUDA device: ") + cudaGetErrorString(error);
  }
  if (ordinal >= count) {
    return "expected a device ordinal below " + std::to_string(count) + ", got " + std::to_string(ordinal);
  }
  return {};
}

void fill(std::int32_t ordinal, Entry& entry) {
  entry.engine.problem = why_absent(ordinal);
  if (!entry.engine.problem.empty()) return;
  const Status status = cuda::make_device_engine(ordinal, cuda::built_in_kernels(), entry.device);
  if (status.ok()) {
    entry.engine.tuning = cuda::tune_device(ordinal, entry.device.profile);
    entry.engine.profile = &entry.device.profile;
  } else {
    entry.engine.problem = "device " + std::to_string(ordinal) + " cannot be prepared: " + status.message();
  }
}

}  // namespace

const CudaEngine& cuda_engine(std::int32_t device_ordinal) {
  static const CudaEngine kTooLarge{nullptr, "expected a device ordinal below " + std::to_string(kMaxDevices)};
  if (device_ordinal < 0 || device_ordinal >= kMaxDevices) return kTooLarge;
  Entry& entry = entry_of(device_ordinal);
  std::call_once(entry.once, [&] { fill(device_ordinal, entry); });
  return entry.engine;
}

Status run_on_cuda(const LaunchList& launches, void* stream) {
  const std::int32_t ordinal = launches.args.problem.device_ordinal;
  const CudaEngine& engine = cuda_engine(ordinal);
  if (engine.profile == nullptr) return Status::unsupported("backend: " + engine.problem);
  return cuda::enqueue(entry_of(ordinal).device, launches, stream);
}

Status run_on_cuda(std::int32_t device_ordinal, const KernelCall* calls, int count, void* stream) {
  const CudaEngine& engine = cuda_engine(device_ordinal);
  if (engine.profile == nullptr) return Status::unsupported("backend: " + engine.problem);
  return cuda::enqueue_calls(*engine.profile, device_ordinal, calls, count, stream);
}

}  // namespace keysieve

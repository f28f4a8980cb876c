// The same for adapters in CUDA.
#pragma once

#include <cuda_runtime_api.h>

#include "adapter.hpp"

namespace peers {

inline keysieve_status fail_cuda(cudaError_t error, const char* call) {
  return fail(error == cudaErrorMemoryAllocation ? KEYSIEVE_OUT_OF_MEMORY : KEYSIEVE_DEVICE_ERROR,
              std::string(call) + ": " + cudaGetErrorString(error));
}

// Device memory of a call's standing state.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { cudaFree(data_); }

  cudaError_t allocate(std::size_t bytes) { return cudaMalloc(&data_, bytes); }
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

// Makes the problem's device current for a scope.
class DeviceScope {
 public:
  explicit DeviceScope(int ordinal) {
    error_ = cudaGetDevice(&before_);
    if (error_ == cudaSuccess && before_ != ordinal) error_ = cudaSetDevice(ordinal);
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  ~DeviceScope() { cudaSetDevice(before_); }

  cudaError_t error() const { return error_; }

 private:
  int before_ = 0;
  cudaError_t error_;
};

}  // namespace peers

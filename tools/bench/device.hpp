// Device memory and CUDA errors of the benchmark.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace keysieve::bench {

inline void check_cuda(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::int64_t bytes) {
    if (bytes > 0) check_cuda(cudaMalloc(&data_, static_cast<std::size_t>(bytes)), "cudaMalloc");
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { cudaFree(data_); }

  void* get() const { return data_; }
  template <typename Element>
  Element* as() const {
    return static_cast<Element*>(data_);
  }

 private:
  void* data_ = nullptr;
};

}  // namespace keysieve::bench

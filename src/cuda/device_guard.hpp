// Scopes over the calling thread's CUDA state: what they change, they put back.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "keysieve/status.hpp"

namespace keysieve::cuda {

// Makes a device current.
class DeviceGuard {
 public:
  DeviceGuard() = default;
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard() {
    if (changed_) cudaSetDevice(previous_);
  }

  Status enter(int ordinal) {
    cudaError_t error = cudaGetDevice(&previous_);
    if (error == cudaSuccess && previous_ != ordinal) {
      error = cudaSetDevice(ordinal);
      changed_ = error == cudaSuccess;
    }
    if (error == cudaSuccess) return {};
    cudaGetLastError();
    return Status(StatusCode::kDeviceError, "device " + std::to_string(ordinal) + ": " + cudaGetErrorString(error));
  }

 private:
  int previous_ = 0;
  bool changed_ = false;
};

// Lets calls through that would invalidate a capture of this thread although they enqueue nothing: loading a kernel,
// setting its attributes.
class RelaxedCapture {
 public:
  RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  ~RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace keysieve::cuda

// The caller's stream as torch's current one. Two implementations: with CUDA, and for a libtorch without it.
#pragma once

#include <c10/core/Device.h>

#include <memory>

namespace peers {

extern const bool kServesCuda;

class StreamScope {
 public:
  // On the CPU it does nothing.
  StreamScope(c10::Device device, void* stream);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

 private:
  struct Guard;
  std::unique_ptr<Guard> guard_;
};

// Waits until the device has done what torch enqueued on it.
void synchronize(c10::Device device);

}  // namespace peers

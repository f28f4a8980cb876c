// Memory and a stream of one GPU behind a face without CUDA: device_buffers_cuda.cpp where the build has the toolkit,
// device_buffers_none.cpp elsewhere, whose open refuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace keysieve::cli {

class DeviceBuffers {
 public:
  // Throws UsageError where the build has no device code, the machine no GPU, or no GPU of that number.
  static std::unique_ptr<DeviceBuffers> open(std::int32_t ordinal);

  virtual ~DeviceBuffers() = default;
  DeviceBuffers(const DeviceBuffers&) = delete;
  DeviceBuffers& operator=(const DeviceBuffers&) = delete;

  // Memory of at least `bytes`, kept by the number `place` from call to call and never shrunk: what a place held is
  // lost where it grows. Null for 0 bytes. Throws Error where the GPU has no room.
  virtual void* reserve(std::size_t place, std::int64_t bytes) = 0;

  // In the order of the stream. A copy has left or reached the host's memory when the call returns.
  virtual void fill(void* device, std::byte value, std::int64_t bytes) = 0;
  virtual void upload(void* device, const void* host, std::int64_t bytes) = 0;
  virtual void download(void* host, const void* device, std::int64_t bytes) = 0;

  // Brackets the work whose time is wanted; stop waits for it and gives the GPU's own seconds.
  virtual void start_clock() = 0;
  virtual double stop_clock() = 0;

  // Records what `enqueue` puts on the stream as a graph, in the place of the one before, without running it. Where
  // `enqueue` throws, the recording ends and nothing is kept.
  virtual void capture(const std::function<void()>& enqueue) = 0;
  // Runs the graph and waits for it.
  virtual void replay() = 0;

  virtual void* stream() const = 0;  // a cudaStream_t

 protected:
  DeviceBuffers() = default;
};

}  // namespace keysieve::cli

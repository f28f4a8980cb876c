#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/device_buffers.hpp"
#include "cli/option_names.hpp"
#include "keysieve/status.hpp"

namespace keysieve::cli {

namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  throw Error(StatusCode::kDeviceError, std::string("device: ") + what + ": " + cudaGetErrorString(error));
}

class CudaBuffers final : public DeviceBuffers {
 public:
  explicit CudaBuffers(std::int32_t ordinal) : ordinal_(ordinal) {
    check(cudaSetDevice(ordinal), "cannot be used");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cannot make a stream");
    check(cudaEventCreate(&begin_), "cannot make an event");
    check(cudaEventCreate(&end_), "cannot make an event");
  }

  // Failures have nobody left to tell, and the process is about to end.
  ~CudaBuffers() override {
    static_cast<void>(cudaStreamSynchronize(stream_));
    if (graph_ != nullptr) static_cast<void>(cudaGraphExecDestroy(graph_));
    for (const Place& place : places_) static_cast<void>(cudaFree(place.data));
    static_cast<void>(cudaEventDestroy(begin_));
    static_cast<void>(cudaEventDestroy(end_));
    static_cast<void>(cudaStreamDestroy(stream_));
  }

  void* reserve(std::size_t place, std::int64_t bytes) override {
    places_.resize(std::max(places_.size(), place + 1));
    Place& kept = places_[place];
    if (bytes == 0) return nullptr;
    if (bytes <= kept.bytes) return kept.data;
    check(cudaFree(kept.data), "cannot free memory");
    kept = {};
    if (cudaMalloc(&kept.data, static_cast<std::size_t>(bytes)) != cudaSuccess) {
      kept = {};
      static_cast<void>(cudaGetLastError());
      std::size_t free = 0;
      std::size_t total = 0;
      static_cast<void>(cudaMemGetInfo(&free, &total));
      throw Error(StatusCode::kOutOfMemory, "device: expected " + std::to_string(bytes) + " bytes of memory on cuda:" +
                                                std::to_string(ordinal_) + ", found " + std::to_string(free) + " free");
    }
    kept.bytes = bytes;
    return kept.data;
  }

  void fill(void* device, std::byte value, std::int64_t bytes) override {
    if (bytes == 0) return;
    check(cudaMemsetAsync(device, std::to_integer<int>(value), static_cast<std::size_t>(bytes), stream_),
          "cannot fill memory");
  }

  void upload(void* device, const void* host, std::int64_t bytes) override {
    copy(device, host, bytes, cudaMemcpyHostToDevice, "cannot copy to the device");
  }

  void download(void* host, const void* device, std::int64_t bytes) override {
    copy(host, device, bytes, cudaMemcpyDeviceToHost, "cannot copy from the device");
  }

  void start_clock() override { check(cudaEventRecord(begin_, stream_), "cannot record an event"); }

  double stop_clock() override {
    check(cudaEventRecord(end_, stream_), "cannot record an event");
    check(cudaEventSynchronize(end_), "the selection failed");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cannot read the clock");
    return static_cast<double>(milliseconds) * 1e-3;
  }

  void capture(const std::function<void()>& enqueue) override {
    if (graph_ != nullptr) static_cast<void>(cudaGraphExecDestroy(graph_));
    graph_ = nullptr;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "cannot start a capture");
    cudaGraph_t recorded = nullptr;
    try {
      enqueue();
    } catch (...) {
      static_cast<void>(cudaStreamEndCapture(stream_, &recorded));
      if (recorded != nullptr) static_cast<void>(cudaGraphDestroy(recorded));
      throw;
    }
    check(cudaStreamEndCapture(stream_, &recorded), "the capture failed");
    const cudaError_t error = cudaGraphInstantiate(&graph_, recorded, 0);
    static_cast<void>(cudaGraphDestroy(recorded));
    if (error != cudaSuccess) graph_ = nullptr;
    check(error, "cannot make a graph");
  }

  void replay() override {
    check(graph_ == nullptr ? cudaErrorInvalidValue : cudaGraphLaunch(graph_, stream_), "cannot launch a graph");
    check(cudaStreamSynchronize(stream_), "the graph failed");
  }

  void* stream() const override { return stream_; }

 private:
  struct Place {
    void* data = nullptr;
    std::int64_t bytes = 0;
  };

  void copy(void* to, const void* from, std::int64_t bytes, cudaMemcpyKind kind, const char* what) {
    if (bytes == 0) return;
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), kind, stream_), what);
    check(cudaStreamSynchronize(stream_), what);
  }

  std::int32_t ordinal_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
  std::vector<Place> places_;
};

}  // namespace

std::unique_ptr<DeviceBuffers> DeviceBuffers::open(std::int32_t ordinal) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    const std::string why = error != cudaSuccess ? std::string(" (") + cudaGetErrorString(error) + ")" : "";
    throw UsageError("backend: expected a GPU for --backend cuda, found no CUDA device" + why);
  }
  if (ordinal >= count) {
    throw_usage("--device", "a CUDA device from 0 to " + std::to_string(count - 1), std::to_string(ordinal));
  }
  return std::make_unique<CudaBuffers>(ordinal);
}

}  // namespace keysieve::cli

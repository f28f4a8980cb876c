// Times work by plain calls between events: for what cannot be captured into a graph. Where a call takes the host
// longer than the device, the host's time shows.
#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <vector>

#include "bench/device.hpp"
#include "bench/graph_timer.hpp"

namespace keysieve::bench {

class EventTimer {
 public:
  EventTimer(cudaStream_t stream, bool cold);
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;
  ~EventTimer();

  Timing time(const Enqueue& enqueue, Mode mode, int samples);

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  std::unique_ptr<DeviceBuffer> flush_;
};

}  // namespace keysieve::bench

// Times kernels by CUPTI's activity records: from the start of a call's first kernel to the end of its last one,
// without what lies between calls. CUPTI is opened at run time and may be absent.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <string>

#include "bench/device.hpp"
#include "bench/graph_timer.hpp"

namespace keysieve::bench {

class CuptiTimer {
 public:
  // Throws with the reason where CUPTI cannot be used.
  CuptiTimer(cudaStream_t stream, bool cold);
  CuptiTimer(const CuptiTimer&) = delete;
  CuptiTimer& operator=(const CuptiTimer&) = delete;
  ~CuptiTimer();

  // Throws where the calls' kernels cannot be told apart.
  Timing time(const Enqueue& enqueue, Mode mode, int samples);

 private:
  cudaStream_t stream_;
  std::unique_ptr<DeviceBuffer> flush_;
};

}  // namespace keysieve::bench

// The timers of a GPU behind one face.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <memory>

#include "bench/cupti_timer.hpp"
#include "bench/event_timer.hpp"
#include "bench/graph_timer.hpp"
#include "bench/options.hpp"

namespace keysieve::bench {

class Stopwatch {
 public:
  using Timed = std::function<Timing(int samples)>;

  Stopwatch(cudaStream_t stream, int samples, bool cold, bool cupti);

  // Work that is ready to be timed again and again, with at most the samples of the constructor. `enqueue` and what it
  // refers to have to outlive it.
  Timed prepare(const Enqueue& enqueue, Mode mode, TimerKind timer);

 private:
  GraphTimer graph_;
  EventTimer events_;
  std::unique_ptr<CuptiTimer> cupti_;
};

}  // namespace keysieve::bench

// Times work by replaying CUDA graphs of it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "bench/device.hpp"
#include "bench/names.hpp"
#include "bench/timing.hpp"

namespace keysieve::bench {

using Enqueue = std::function<void(cudaStream_t)>;

// A graph that is ready to be timed. Warm: `calls` calls in a row, enough for a sample to outlast the clock's grain.
// Cold: the L2 cache is overwritten, then one call between two events.
struct TimedWork {
  std::shared_ptr<CUgraphExec_st> graph;
  int calls = 1;
  Mode mode = Mode::kWarm;
};

// Larger than any L2; overwriting so much empties it.
inline constexpr std::int64_t kFlushBytes = std::int64_t{256} << 20;
void flush_l2(const DeviceBuffer& buffer, cudaStream_t stream);

class GraphTimer {
 public:
  // The buffer that flushes the L2 cache is allocated only when cold times are asked for.
  GraphTimer(cudaStream_t stream, int samples, bool cold);
  GraphTimer(const GraphTimer&) = delete;
  GraphTimer& operator=(const GraphTimer&) = delete;
  ~GraphTimer();

  TimedWork prepare(const Enqueue& enqueue, Mode mode);
  Timing time(const TimedWork& work) { return time(work, samples_); }
  Timing time(const TimedWork& work, int samples);

 private:
  std::shared_ptr<CUgraphExec_st> capture(const Enqueue& enqueue);
  std::vector<double> warm_samples(const TimedWork& work, int samples);
  std::vector<double> cold_samples(const TimedWork& work, int samples);

  cudaStream_t stream_;
  int samples_;
  std::vector<cudaEvent_t> events_;
  std::optional<DeviceBuffer> flush_;
};

}  // namespace keysieve::bench

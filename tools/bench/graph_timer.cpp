#include "bench/graph_timer.hpp"

#include <algorithm>
#include <cmath>

namespace keysieve::bench {
namespace {

// The first estimate of a short call is too high by what starting a graph costs; twice the 200 us that a sample
// should last makes up for it.
constexpr double kSampleUs = 400.0;
constexpr int kEstimateCalls = 4;
constexpr int kMaxCalls = 400;

}  // namespace

void flush_l2(const DeviceBuffer& buffer, cudaStream_t stream) {
  check_cuda(cudaMemsetAsync(buffer.get(), 0x3C, static_cast<std::size_t>(kFlushBytes), stream), "flush");
}

GraphTimer::GraphTimer(cudaStream_t stream, int samples, bool cold) : stream_(stream), samples_(samples) {
  events_.resize(static_cast<std::size_t>(samples) + 1);
  for (cudaEvent_t& event : events_) check_cuda(cudaEventCreate(&event), "cudaEventCreate");
  if (cold) flush_.emplace(kFlushBytes);
}

GraphTimer::~GraphTimer() {
  for (const cudaEvent_t event : events_) cudaEventDestroy(event);
}

std::shared_ptr<CUgraphExec_st> GraphTimer::capture(const Enqueue& enqueue) {
  check_cuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  try {
    enqueue(stream_);
  } catch (...) {
    cudaStreamEndCapture(stream_, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    throw;
  }
  check_cuda(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
  cudaGraphExec_t executable = nullptr;
  const cudaError_t error = cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  check_cuda(error, "cudaGraphInstantiate");
  return {executable, [](cudaGraphExec_t owned) { cudaGraphExecDestroy(owned); }};
}

TimedWork GraphTimer::prepare(const Enqueue& enqueue, Mode mode) {
  if (mode == Mode::kCold) {
    const auto flushed_call = [&](cudaStream_t stream) {
      flush_l2(*flush_, stream);
      check_cuda(cudaEventRecordWithFlags(events_[0], stream, cudaEventRecordExternal), "cudaEventRecordWithFlags");
      enqueue(stream);
      check_cuda(cudaEventRecordWithFlags(events_[1], stream, cudaEventRecordExternal), "cudaEventRecordWithFlags");
    };
    return {capture(flushed_call), 1, mode};
  }
  const auto repeat = [&](int calls) {
    return capture([&](cudaStream_t stream) {
      for (int i = 0; i < calls; ++i) enqueue(stream);
    });
  };
  TimedWork work{repeat(kEstimateCalls), kEstimateCalls, mode};
  const double estimate_us = std::max(time(work, 1).median_us, 0.01);
  const int calls = static_cast<int>(std::clamp(std::ceil(kSampleUs / estimate_us), 1.0, double{kMaxCalls}));
  return {repeat(calls), calls, mode};
}

Timing GraphTimer::time(const TimedWork& work, int samples) {
  return summarise(work.mode == Mode::kCold ? cold_samples(work, samples) : warm_samples(work, samples));
}

// Everything is queued at once behind an untimed replay: the device never waits for the host between two events.
std::vector<double> GraphTimer::warm_samples(const TimedWork& work, int samples) {
  check_cuda(cudaGraphLaunch(work.graph.get(), stream_), "cudaGraphLaunch");
  check_cuda(cudaEventRecord(events_[0], stream_), "cudaEventRecord");
  for (int i = 0; i < samples; ++i) {
    check_cuda(cudaGraphLaunch(work.graph.get(), stream_), "cudaGraphLaunch");
    check_cuda(cudaEventRecord(events_[static_cast<std::size_t>(i) + 1], stream_), "cudaEventRecord");
  }
  check_cuda(cudaStreamSynchronize(stream_), "timed graph");
  std::vector<double> times;
  for (std::size_t i = 0; i < static_cast<std::size_t>(samples); ++i) {
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, events_[i], events_[i + 1]), "cudaEventElapsedTime");
    times.push_back(double{milliseconds} * 1e3 / work.calls);
  }
  return times;
}

std::vector<double> GraphTimer::cold_samples(const TimedWork& work, int samples) {
  std::vector<double> times;
  for (int i = -1; i < samples; ++i) {
    check_cuda(cudaGraphLaunch(work.graph.get(), stream_), "cudaGraphLaunch");
    check_cuda(cudaStreamSynchronize(stream_), "timed graph");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, events_[0], events_[1]), "cudaEventElapsedTime");
    if (i >= 0) times.push_back(double{milliseconds} * 1e3);
  }
  return times;
}

}  // namespace keysieve::bench

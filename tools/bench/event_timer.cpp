#include "bench/event_timer.hpp"

namespace keysieve::bench {
namespace {

constexpr int kWarmCalls = 10;

}  // namespace

EventTimer::EventTimer(cudaStream_t stream, bool cold) : stream_(stream) {
  check_cuda(cudaEventCreate(&begin_), "cudaEventCreate");
  check_cuda(cudaEventCreate(&end_), "cudaEventCreate");
  if (cold) flush_ = std::make_unique<DeviceBuffer>(kFlushBytes);
}

EventTimer::~EventTimer() {
  if (begin_ != nullptr) cudaEventDestroy(begin_);
  if (end_ != nullptr) cudaEventDestroy(end_);
}

Timing EventTimer::time(const Enqueue& enqueue, Mode mode, int samples) {
  const int calls = mode == Mode::kCold ? 1 : kWarmCalls;
  std::vector<double> times;
  enqueue(stream_);
  for (int i = 0; i < samples; ++i) {
    if (mode == Mode::kCold) flush_l2(*flush_, stream_);
    check_cuda(cudaEventRecord(begin_, stream_), "cudaEventRecord");
    for (int call = 0; call < calls; ++call) enqueue(stream_);
    check_cuda(cudaEventRecord(end_, stream_), "cudaEventRecord");
    check_cuda(cudaEventSynchronize(end_), "timed calls");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    times.push_back(double{milliseconds} * 1e3 / calls);
  }
  return summarise(std::move(times));
}

}  // namespace keysieve::bench

#include "bench/stopwatch.hpp"

namespace keysieve::bench {

Stopwatch::Stopwatch(cudaStream_t stream, int samples, bool cold, bool cupti)
    : graph_(stream, samples, cold), events_(stream, cold) {
  if (cupti) cupti_ = std::make_unique<CuptiTimer>(stream, cold);
}

Stopwatch::Timed Stopwatch::prepare(const Enqueue& enqueue, Mode mode, TimerKind timer) {
  switch (timer) {
    case TimerKind::kEvents:
      return [this, enqueue, mode](int samples) { return events_.time(enqueue, mode, samples); };
    case TimerKind::kCupti:
      return [this, enqueue, mode](int samples) { return cupti_->time(enqueue, mode, samples); };
    default:
      return [this, work = graph_.prepare(enqueue, mode)](int samples) { return graph_.time(work, samples); };
  }
}

}  // namespace keysieve::bench

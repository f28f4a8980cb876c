#include "bench/result.hpp"

#include <cmath>

namespace keysieve::bench {

double CellResult::noise() const {
  return first.median_us > 0 ? std::abs(second.median_us - first.median_us) / first.median_us : 0.0;
}

const char* name_of(TimerKind timer) {
  switch (timer) {
    case TimerKind::kGraph:
      return "graph";
    case TimerKind::kEvents:
      return "events";
    case TimerKind::kCupti:
      return "cupti";
    case TimerKind::kHost:
      break;
  }
  return "host";
}

}  // namespace keysieve::bench

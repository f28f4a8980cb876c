#include "doctor/facts.hpp"

#include <utility>

namespace keysieve::doctor {

GpuSurvey merge_surveys(const GpuSurvey& before, GpuSurvey after) {
  for (GpuState& gpu : after.gpus) {
    for (const GpuState& earlier : before.gpus) {
      if (earlier.index != gpu.index) continue;
      gpu.processes = earlier.processes;
      gpu.memory_used_bytes = earlier.memory_used_bytes;
      gpu.utilization_percent = earlier.utilization_percent;
    }
  }
  return after;
}

}  // namespace keysieve::doctor

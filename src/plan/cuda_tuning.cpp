#include "plan/cuda_tuning.hpp"

namespace keysieve {

std::string tuning_fault(const CudaTuning& tuning) {
  for (const TuningField& field : kTuningFields) {
    const std::int64_t value = tuning.*field.value;
    if (value < field.low || value > field.high) {
      return std::string(field.name) + ": expected " + std::to_string(field.low) + ".." + std::to_string(field.high) +
             ", got " + std::to_string(value);
    }
  }
  return {};
}

}  // namespace keysieve

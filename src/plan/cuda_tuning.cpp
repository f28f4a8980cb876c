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
  if (tuning.split_very_long_row_columns < tuning.split_long_row_columns) {
    return "split_very_long_row_columns: expected at least split_long_row_columns, " +
           std::to_string(tuning.split_long_row_columns) + ", got " +
           std::to_string(tuning.split_very_long_row_columns);
  }
  return {};
}

}  // namespace keysieve

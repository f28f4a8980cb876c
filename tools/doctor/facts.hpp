// All that the doctor has seen. Collecting, judging and printing know each other through this alone.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "doctor/libraries.hpp"
#include "doctor/nvml.hpp"
#include "doctor/self_test_report.hpp"
#include "doctor/sharing.hpp"

namespace keysieve::doctor {

struct Facts {
  nlohmann::ordered_json system;  // the library's own report, keysieve.system/1; discarded where it was not JSON
  SelfTestReport self_test;
  Libraries libraries;
  GpuSurvey gpus;
  Environment environment;
};

// The survey taken before this process touched a GPU, for who else was there, and the one after the self-test, for
// clocks under load: the first one's processes, memory and utilisation in the second one.
GpuSurvey merge_surveys(const GpuSurvey& before, GpuSurvey after);

}  // namespace keysieve::doctor

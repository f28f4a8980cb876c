// The JSON report of gpu_select_bench, schema keysieve.gpu_bench/1.
#pragma once

#include <cuda_runtime.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cell_runner.hpp"
#include "options.hpp"

namespace keysieve::bench {

struct UnmeasuredCell {
  Cell cell;
  std::string reason;
};

struct Report {
  nlohmann::ordered_json fingerprint;
  std::map<Mode, Timing> launch;
  std::vector<CellResult> results;
  std::vector<UnmeasuredCell> refused;  // keysieve or the size of the device says no
  std::vector<UnmeasuredCell> failed;   // the call failed, the device lives
  std::vector<UnmeasuredCell> missing;  // the time budget or a fault of the device came first
  std::string error;                    // that fault
};

nlohmann::ordered_json make_fingerprint(const Options& options, const cudaDeviceProp& device, int argc,
                                        const char* const* argv);

// Replaces the file in one step, so that a report is whole whenever the run ends. No file name: standard output.
void write_report(const Report& report, const Options& options);

}  // namespace keysieve::bench

// The run behind `keysieve kernels`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/options.hpp"

namespace keysieve::kernel_bench {

struct Measured {
  nlohmann::ordered_json fingerprint;
  double launch_us = 0;  // of a kernel that does nothing
  nlohmann::ordered_json cells = nlohmann::ordered_json::array();
  nlohmann::ordered_json failed = nlohmann::ordered_json::array();
};

// What would be timed, a line each. `names`: of kernels; empty: all.
std::string list(const std::vector<std::string>& names);

// Prints a line on stderr as each is done. Throws where there is no GPU.
Measured measure(const std::vector<std::string>& names, int samples, const bench::Options& options);

}  // namespace keysieve::kernel_bench

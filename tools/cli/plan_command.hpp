#pragma once

#include <string>

#include "keysieve/types.hpp"

namespace keysieve::cli {

struct PlanOptions {
  SelectProblem problem;
  std::string profile;  // a device by name; empty: this machine's, as the problem says
  bool json = false;
};

// Prints the plan, or on stderr every condition that stands in its way. Returns the exit code.
int run_plan(const PlanOptions& options);

}  // namespace keysieve::cli

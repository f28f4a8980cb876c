#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "keysieve/types.hpp"

namespace keysieve::cli {

struct PlanOptions {
  SelectProblem problem;
  std::string profile;  // a device by name; empty: this machine's, as the problem says
  bool json = false;
  // A decode step of a known model, which sets the shapes; empty: the problem has them.
  std::string model;
  std::int64_t context = 0, batch = 1;
  std::int32_t next_n = 1;
  std::optional<ScoreType> score_type;  // in place of the model's
};

// Prints the plan, or those of all parts of the model, or on stderr every condition that stands in its way. Returns the
// exit code.
int run_plan(const PlanOptions& options);

}  // namespace keysieve::cli

#pragma once

#include <string>

#include "cli/select_inputs.hpp"
#include "cli/select_outputs.hpp"
#include "keysieve/types.hpp"

namespace keysieve::cli {

struct SelectOptions {
  InputPaths inputs;
  OutputPaths outputs;
  SelectProblem problem;  // all but rows, width and score_type, which the files tell
  std::int64_t num_pages = kAuto;
  bool check = false;
  bool json = false;
};

// Returns the exit code. Throws UsageError, io::FileError or keysieve::Error for input it cannot serve; then no
// output is in place.
int run_select(const SelectOptions& options);

}  // namespace keysieve::cli

// The report as one HTML file that needs no network and no script.
#pragma once

#include <string>
#include <vector>

#include "report/baseline.hpp"
#include "report/inputs.hpp"
#include "report/run.hpp"

namespace keysieve::report {

// `baseline` may be null.
std::string make_page(const Inputs& inputs, const std::vector<Run>& runs, const Baseline* baseline);

}  // namespace keysieve::report

// The tables of the report as Markdown, for a repository or a message.
#pragma once

#include <string>
#include <vector>

#include "report/baseline.hpp"
#include "report/run.hpp"

namespace keysieve::report {

// `baseline` may be null.
std::string make_markdown(const std::vector<Run>& runs, const Baseline* baseline);

}  // namespace keysieve::report

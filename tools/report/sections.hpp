// The parts of the page, each a function from the run to HTML. "" means that the run holds nothing for it.
#pragma once

#include <string>

#include "report/baseline.hpp"
#include "report/inputs.hpp"
#include "report/run.hpp"

namespace keysieve::report {

std::string problems_section(const Run& run);
std::string fingerprint_section(const Run& run);
std::string floor_section(const Run& run);
std::string speed_section(const Run& run);
std::string envelope_section(const Run& run);
std::string robustness_section(const Run& run);
std::string peers_section(const Run& run);
std::string baseline_section(const Run& run, const Baseline& baseline);
std::string totals_section(const Inputs& inputs);

// What several sections say alike.
std::string group_heading(const Group& group, const std::string& distribution);
std::string chart_label(const std::string& what, const Group& group, std::int64_t k);
std::string details(const std::string& summary, const std::string& body);
// The automatic cells of one distribution, one a shape, in order of shape.
std::vector<const Cell*> automatic_cells(const Group& group, const std::string& distribution);
std::vector<Shape> shapes_of(const std::vector<const Cell*>& cells);
// "split 8, 512 threads; 12.60 to 12.62 us; floor 1.39 us"
std::string measurement_title(const Cell& cell);

}  // namespace keysieve::report

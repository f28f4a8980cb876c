// Cells with the plans they get, and the memory they need.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "bench/cell.hpp"
#include "bench/grid.hpp"
#include "bench/result.hpp"
#include "bench/runner.hpp"

namespace keysieve::bench {

struct PlannedCell {
  Cell cell;
  std::optional<SelectPlan> plan;  // none: keysieve refuses, peers may not

  // Of the sample that rows of some distributions are built against: that of the plan.
  int log2_samples() const;
};

// What cannot run goes to report.refused; with `has_peers` cells that only keysieve refuses stay.
std::vector<PlannedCell> plan_cells(const std::vector<Cell>& cells, const Runner& runner, bool has_peers,
                                    Report& report, Sizes& sizes);

// The selection that finds exact hints for a cell: values in order of score.
Cell hint_cell(const Cell& cell);

// Plans of a shape, by this machine's GPU or by a device profile: for the thresholds of a grid.
Thresholds thresholds_of(Backend backend, const std::string& profile);

}  // namespace keysieve::bench

// How much the scores cost: the time of a distribution over that of N(0,1) in the same cell.
#pragma once

#include <cstddef>
#include <vector>

#include "report/run.hpp"

namespace keysieve::report {

struct RobustnessCell {
  const Cell* cell = nullptr;
  const Cell* normal = nullptr;
  double ratio = kNotGiven;
};

struct Robustness {
  std::vector<RobustnessCell> cells;  // in order of distribution and shape
  std::size_t without_normal = 0;     // cells that nothing can be held against
};

Robustness make_robustness(const Group& group);

}  // namespace keysieve::report

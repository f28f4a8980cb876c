// Which shapes to measure: a coarse grid, then, for as long as there is time, the middle of every two neighbours whose
// fastest ways differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tune/measured.hpp"

namespace keysieve::tune {

struct Budget {
  double seconds = 100;
  std::int32_t num_sms = 132;
  std::int64_t max_score_bytes = 0;  // larger shapes are left out
};

// All ways of a shape. Throws where results differ or the device fails.
using Measure = std::function<std::vector<Measured>(const Shape&)>;
using Seconds = std::function<double()>;  // since some start

struct Sample {
  std::vector<Measured> measured;
  std::size_t shapes = 0;
  std::size_t coarse_shapes = 0;  // that the grid has
  bool coarse_done = false;       // the budget sufficed for the grid
  bool refined = false;           // no crossover is left to narrow
};

// Ends within the budget and the time of one shape.
Sample sample_crossovers(const Budget& budget, const Measure& measure, const Seconds& seconds);

// The grid that it starts from, in the order in which it is measured.
std::vector<Shape> coarse_shapes(const Budget& budget);

}  // namespace keysieve::tune

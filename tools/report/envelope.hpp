// The crossover between routes: the fastest way that was measured for each shape, and what the automatic choice loses.
#pragma once

#include <string>
#include <vector>

#include "report/run.hpp"

namespace keysieve::report {

// Two timings of one thing agree no better than this, whatever the cell's own noise says by luck.
inline constexpr double kLeastNoise = 0.01;

struct EnvelopeCell {
  Shape shape = {};
  const Cell* fastest = nullptr;
  const Cell* automatic = nullptr;  // null where the automatic choice has no time
  double loss = kNotGiven;          // time of the automatic choice over the fastest, less 1
  double noise = 0;                 // of both timings together
  bool is_loss() const { return loss > noise; }
};

// Shapes with at least one forced cell that counts, of one distribution, in order of shape.
std::vector<EnvelopeCell> make_envelope(const Group& group, const std::string& distribution);

}  // namespace keysieve::report

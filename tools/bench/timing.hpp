// Numbers of a repeated measurement.
#pragma once

#include <vector>

namespace keysieve::bench {

struct Timing {
  double median_us = 0;
  double p10_us = 0;
  double p90_us = 0;
};

// At least one time.
Timing summarise(std::vector<double> times_us);

}  // namespace keysieve::bench

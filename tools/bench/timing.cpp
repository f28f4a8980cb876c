#include "bench/timing.hpp"

#include <algorithm>
#include <cstddef>

namespace keysieve::bench {

Timing summarise(std::vector<double> times_us) {
  std::sort(times_us.begin(), times_us.end());
  const auto quantile = [&](double q) {
    return times_us[static_cast<std::size_t>(q * static_cast<double>(times_us.size() - 1) + 0.5)];
  };
  return {quantile(0.5), quantile(0.1), quantile(0.9)};
}

}  // namespace keysieve::bench

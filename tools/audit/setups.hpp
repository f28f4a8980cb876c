// Which setups a case is shown to.
#pragma once

#include <cstdint>
#include <vector>

#include "audit/trial.hpp"

namespace keysieve::audit {

struct Selection {
  bool cpu = false, reference = false, cuda = false;
  std::vector<Route> routes;  // empty: all of the backends above
  std::vector<Setup> peers;   // if any, nothing else is asked

  bool wants(Route route) const;
  // Some setup leaves the choice to the planner.
  bool has_dispatch() const;
  // Labels of the forced setups, in the order of reports.
  std::vector<std::string> forced_labels() const;
};

// The planner's choice and every route once, with threads and splits drawn by `draw`.
std::vector<Setup> draw_setups(const Selection& selection, std::uint64_t draw);

}  // namespace keysieve::audit

// The ways in which a trial gets smaller or plainer.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "audit/trial.hpp"

namespace keysieve::audit {

// Changes the trial and returns true, or finds nothing to do. `attempt` counts from 0 until it does.
struct Reduction {
  std::function<bool(Trial& trial, std::size_t attempt)> apply;
};

// What takes most away comes first.
const std::vector<Reduction>& reductions();

}  // namespace keysieve::audit

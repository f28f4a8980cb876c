// Small selections by every route that can run here (on the CPU and the first GPU), compared with the reference: ties,
// NaN, infinities, windows, lengths out of range, all modes, orders and types. Takes well under a second.
#pragma once

#include <string>
#include <vector>

#include "keysieve/types.hpp"

namespace keysieve::cli {

struct RouteReport {
  Backend backend = Backend::kAuto;
  Route route = Route::kAuto;
  int cases = 0;
  int failed = 0;
  std::string first_fault;  // which case, and what differs
  std::string unavailable;  // why no case could run; not a failure
};

std::vector<RouteReport> run_self_test();

}  // namespace keysieve::cli

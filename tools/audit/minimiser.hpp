// Makes a failing trial small while it still fails.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "audit/checker.hpp"

namespace keysieve::audit {

struct MinimiserLimits {
  int checks = 600;
  std::chrono::seconds time{20};
  int tries = 3;  // of a trial on graphs or streams, whose faults come and go
};

struct Minimised {
  Trial trial;             // the smallest that was found; the given one where it did not fail again
  std::string difference;  // its own; empty where the trial did not fail again
  int checks = 0;
};

// Called before (begins) and after every run.
using Watch = std::function<void(const Trial& trial, bool begins)>;

// Errors of the device end the search with what was found until then.
Minimised minimise(Checker& checker, const Trial& trial, const MinimiserLimits& limits, const Watch& watch);

}  // namespace keysieve::audit

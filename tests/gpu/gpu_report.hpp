// What the tests on a GPU tell the test framework.
#pragma once

#include <string>
#include <vector>

#include "gpu_support.hpp"

namespace keysieve::test {

// Prints the counts and records them with the running test (they end up in its XML report).
void report(const Tally& tally);

// A test failure for each.
void expect_no_faults(const std::vector<std::string>& faults);

}  // namespace keysieve::test

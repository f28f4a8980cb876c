// A whole run: cells planned, dealt, measured, reported.
#pragma once

#include "bench/options.hpp"

namespace keysieve::bench {

// Returns the exit code. Throws for options that cannot be served.
int run_bench(const Options& options);

}  // namespace keysieve::bench

// Stands in for cuda_runner.cpp in builds without device code.
#include "bench/runner.hpp"
#include "cli/option_names.hpp"

namespace keysieve::bench {

std::string cuda_problem() { return "this build has no device code"; }

std::unique_ptr<Runner> make_cuda_runner(const Options&) {
  throw cli::UsageError("--backend: expected a GPU for cuda, found none: " + cuda_problem());
}

}  // namespace keysieve::bench

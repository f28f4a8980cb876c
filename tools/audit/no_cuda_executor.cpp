// Stands in for cuda_executor.cpp in builds without device code.
#include <stdexcept>

#include "audit/executor.hpp"

namespace keysieve::audit {

std::string cuda_missing() { return "this build has no device code"; }

std::unique_ptr<Executor> make_cuda_executor(const Implementation&) { throw std::runtime_error(cuda_missing()); }

}  // namespace keysieve::audit

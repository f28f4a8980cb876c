// A build without device code.
#include <stdexcept>

#include "kernels/measure.hpp"

namespace keysieve::kernel_bench {

std::string list(const std::vector<std::string>& /*names*/) { return {}; }

Measured measure(const std::vector<std::string>& /*names*/, int /*samples*/, const bench::Options& /*options*/) {
  throw std::runtime_error("kernels: expected a build with device code and a GPU, found a build without");
}

}  // namespace keysieve::kernel_bench

#include "cli/device_buffers.hpp"
#include "cli/option_names.hpp"

namespace keysieve::cli {

std::unique_ptr<DeviceBuffers> DeviceBuffers::open(std::int32_t /*ordinal*/) {
  throw UsageError(
      "backend: expected a build with device code for --backend cuda, found one without (no CUDA device can be used; "
      "build with KEYSIEVE_CUDA=ON)");
}

}  // namespace keysieve::cli

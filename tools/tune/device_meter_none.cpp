#include "tune/device_meter.hpp"

namespace keysieve::tune {

std::unique_ptr<DeviceMeter> DeviceMeter::open(std::int32_t /*ordinal*/, std::int32_t /*num_sms*/) {
  throw std::runtime_error("--device: expected a build with device code, found one without");
}

}  // namespace keysieve::tune

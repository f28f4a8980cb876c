// How large a CTA is and how its shared memory is divided: a pure function of the problem, the route and the device.
#pragma once

#include "keysieve/types.hpp"
#include "plan/device_profile.hpp"

namespace keysieve {

struct CtaShape {
  std::int32_t threads = 0;
  std::int32_t candidate_capacity = 0;
  std::int32_t sample_vectors = 0;
  std::int32_t shared_bytes = 0;
  bool fits = false;  // the device has so much shared memory for a CTA
};

// Of a CTA with room for so many candidates, where a row of route tile is known to fit.
std::int32_t shared_bytes_of(const SelectProblem& problem, Route route, std::int32_t candidate_capacity);

CtaShape choose_cta_shape(const SelectProblem& problem, Route route, const DeviceProfile& device);

}  // namespace keysieve

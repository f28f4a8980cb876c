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
  bool fits = false;  // the device has so much shared memory for a CTA, and route tile enough threads for a row
};

// Of a CTA with room for so many candidates.
std::int32_t shared_bytes_of(Route route, std::int32_t split, std::int32_t candidate_capacity);

// `split`: CTAs that share a row.
CtaShape choose_cta_shape(const SelectProblem& problem, Route route, std::int32_t split, const DeviceProfile& device);

}  // namespace keysieve

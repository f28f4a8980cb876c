// Every operation that has cases, for judges that take them all.
#pragma once

#include "helpers/engram_gather.hpp"
#include "helpers/rmsnorm_mxfp8.hpp"

namespace keysieve::cases {

// visit.template operator()<Operation>(name) for each.
template <typename Visit>
void for_each_operation(Visit&& visit) {
  visit.template operator()<EngramGather>("engram_gather");
  visit.template operator()<RmsnormMxfp8>("rmsnorm_mxfp8");
  visit.template operator()<HcRmsnormMxfp8>("hc_rmsnorm_mxfp8");
}

}  // namespace keysieve::cases

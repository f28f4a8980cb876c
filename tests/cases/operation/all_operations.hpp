// Every operation that has cases, for judges that take them all.
#pragma once

#include "helpers/context_guard.hpp"
#include "helpers/engram_gather.hpp"
#include "helpers/q_rope_store.hpp"
#include "helpers/rmsnorm_mxfp8.hpp"
#include "helpers/selection_stamp.hpp"
#include "helpers/small_gemm.hpp"

namespace keysieve::cases {

// visit.template operator()<Operation>(name) for each.
template <typename Visit>
void for_each_operation(Visit&& visit) {
  visit.template operator()<ContextGuard>("context_guard");
  visit.template operator()<EngramGather>("engram_gather");
  visit.template operator()<SelectionStamp>("selection_stamp");
  visit.template operator()<QRopeStore>("q_rope_store");
  visit.template operator()<SmallGemm>("small_gemm");
  visit.template operator()<RmsnormMxfp8>("rmsnorm_mxfp8");
  visit.template operator()<HcRmsnormMxfp8>("hc_rmsnorm_mxfp8");
}

}  // namespace keysieve::cases

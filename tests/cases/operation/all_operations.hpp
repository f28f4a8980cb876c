// Every operation that has cases, for judges that take them all.
#pragma once

#include "candidates/block_max.hpp"
#include "candidates/candidate_lengths.hpp"
#include "candidates/candidate_slots.hpp"
#include "candidates/filter_pages.hpp"
#include "candidates/finish_selection.hpp"
#include "candidates/sort_blocks.hpp"
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
  visit.template operator()<CandidateLengths>("candidate_lengths");
  visit.template operator()<BlockMax>("block_max");
  visit.template operator()<SortBlocks>("sort_blocks");
  visit.template operator()<CandidateSlots>("candidate_slots");
  visit.template operator()<FilterPages>("filter_pages");
  visit.template operator()<FinalizeSelection>("finalize_selection");
  visit.template operator()<FinishPaged>("finish_paged");
  visit.template operator()<FinishFlat>("finish_flat");
}

}  // namespace keysieve::cases

// The kernels around selection that the CPU backend runs, by number: the table of libkeysieve_cpu is indexed by it.
#pragma once

#include <cstdint>

namespace keysieve {

enum class OperationId : std::int32_t {
  kEngramGather,
  kBlockKeys,
  kSealBlocks,
  kCountKeys,
  kContextGuard,
  kSelectionStamp,
  kQRopeStore,
  kSmallGemm,
  kRmsnormMxfp8,
  kHcRmsnormMxfp8,
  kCandidateLengths,
  kBlockMax,
  kSortBlocks,
  kCandidateSlots,
  kFilterPages,
  kFinishSelection,  // three calls
};

}  // namespace keysieve

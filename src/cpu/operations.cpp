#include "cpu/operations.hpp"

namespace keysieve::cpu {

void run_operation(OperationId id, const void* params, std::int32_t threads) {
  switch (id) {
    case OperationId::kEngramGather:
      return engram_gather(*static_cast<const EngramGatherParams*>(params), threads);
    case OperationId::kContextGuard:
      return context_guard(*static_cast<const ContextGuardParams*>(params), threads);
    case OperationId::kSelectionStamp:
      return selection_stamp(*static_cast<const SelectionStampParams*>(params), threads);
    case OperationId::kBlockKeys:
      return block_keys(*static_cast<const BlockKeysParams*>(params), threads);
    case OperationId::kCountKeys:
      return count_keys(*static_cast<const BlockKeysParams*>(params), threads);
    case OperationId::kSealBlocks:
      return seal_blocks(*static_cast<const SealBlocksParams*>(params), threads);
    case OperationId::kQRopeStore:
      return q_rope_store(*static_cast<const QRopeStoreParams*>(params), threads);
    case OperationId::kSmallGemm:
      return small_gemm(*static_cast<const SmallGemmParams*>(params), threads);
    case OperationId::kRmsnormMxfp8:
    case OperationId::kHcRmsnormMxfp8:
      return rmsnorm_mxfp8(*static_cast<const RmsnormParams*>(params), threads);
    case OperationId::kCandidateLengths:
      return candidate_lengths(*static_cast<const CandidateLengthsParams*>(params), threads);
    case OperationId::kBlockMax:
      return block_max(*static_cast<const BlockMaxParams*>(params), threads);
    case OperationId::kSortBlocks:
      return sort_blocks(*static_cast<const SortBlocksParams*>(params), threads);
    case OperationId::kCandidateSlots:
      return candidate_slots(*static_cast<const CandidateSlotsParams*>(params), threads);
    case OperationId::kFilterPages:
      return filter_pages(*static_cast<const FilterPagesParams*>(params), threads);
    case OperationId::kFinishSelection:
      return finish_selection(*static_cast<const FinishSelectionParams*>(params), threads);
  }
}

}  // namespace keysieve::cpu

#include "cuda/operation_host.hpp"

#include "cuda/operation/block_max.hpp"
#include "cuda/operation/cache_copy.hpp"
#include "cuda/operation/candidate_lengths.hpp"
#include "cuda/operation/candidate_slots.hpp"
#include "cuda/operation/engram_gather.hpp"
#include "cuda/operation/filter_pages.hpp"
#include "cuda/operation/finish_selection.hpp"
#include "cuda/operation/fp4_indexer.hpp"
#include "cuda/operation/fp4_quantise.hpp"
#include "cuda/operation/fp8_quantise.hpp"
#include "cuda/operation/lengths.hpp"
#include "cuda/operation/q_rope_store.hpp"
#include "cuda/operation/rmsnorm_mxfp8.hpp"
#include "cuda/operation/seal_blocks.hpp"
#include "cuda/operation/small_gemm.hpp"
#include "cuda/operation/sort_blocks.hpp"
#include "simt/launch.hpp"

namespace keysieve::test {
namespace {

void run_kernel(const KernelCall& call) {
  switch (call.kernel) {
    case OperationKernel::kEngramGather:
      return engram_gather(call.get_params<EngramGatherParams>());
    case OperationKernel::kContextGuard:
      return context_guard(call.get_params<ContextGuardParams>());
    case OperationKernel::kSelectionStamp:
      return selection_stamp(call.get_params<SelectionStampParams>());
    case OperationKernel::kCountKeys:
      return count_keys(call.get_params<BlockKeysParams>());
    case OperationKernel::kSealBlocks:
      return seal_blocks(call.get_params<SealBlocksParams>());
    case OperationKernel::kQRopeStore:
      return q_rope_store(call.get_params<QRopeStoreParams>());
    case OperationKernel::kSmallGemm:
      return small_gemm(call.get_params<SmallGemmParams>());
    case OperationKernel::kRmsnormMxfp8:
      return normalize_rows<OneStream>(call.get_params<RmsnormParams>());
    case OperationKernel::kHcRmsnormMxfp8:
      return normalize_rows<FourStreams>(call.get_params<RmsnormParams>());
    case OperationKernel::kCandidateLengths:
      return candidate_lengths(call.get_params<CandidateLengthsParams>());
    case OperationKernel::kBlockMax:
      return block_max(call.get_params<BlockMaxParams>());
    case OperationKernel::kSortBlocks:
      return sort_blocks(call.get_params<SortBlocksParams>());
    case OperationKernel::kCandidateSlots:
      return candidate_slots(call.get_params<CandidateSlotsParams>());
    case OperationKernel::kFilterPages:
      return filter_pages(call.get_params<FilterPagesParams>());
    case OperationKernel::kFinishSelection:
      return finish_selection(call.get_params<FinishSelectionParams>());
    case OperationKernel::kFp4Quantise:
      return fp4_quantise(call.get_params<KeyQuantiseParams>());
    case OperationKernel::kFp8Quantise:
      return fp8_quantise(call.get_params<KeyQuantiseParams>());
    case OperationKernel::kCacheStore:
      return cache_store(call.get_params<CacheCopyParams>());
    case OperationKernel::kCacheGather:
      return cache_gather(call.get_params<CacheCopyParams>());
    case OperationKernel::kFp4IndexerKey:
      return fp4_indexer_key(call.get_params<Fp4IndexerKeyParams>());
    case OperationKernel::kFp4IndexerQuery:
      return fp4_indexer_query(call.get_params<Fp4IndexerQueryParams>());
  }
}

}  // namespace

std::string run_call_on_host(const KernelCall& call, std::uint64_t order_seed) {
  if (call.blocks == 0) return {};
  if (call.threads > most_threads(call.kernel)) {
    return "a launch of " + std::to_string(call.threads) + " threads of a kernel made for " +
           std::to_string(most_threads(call.kernel));
  }
  simt::LaunchShape shape;
  shape.blocks = call.blocks;
  shape.threads = call.threads;
  shape.shared_bytes = call.shared_bytes;
  shape.order_seed = order_seed;
  std::string fault = simt::run_on_host(shape, [&] { run_kernel(call); });
  if (fault.empty() && simt::dependency_waits() != call.blocks * call.threads) {
    fault = "not every thread waited for the kernel in front, once";
  }
  return fault;
}

}  // namespace keysieve::test

// The kernels around selection on the CPU, by id. Each is one function over its Params.
#pragma once

#include <cstdint>

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
#include "operation/operation_id.hpp"
#include "publish/seal_row.hpp"

namespace keysieve::cpu {

void engram_gather(const EngramGatherParams& params, std::int32_t threads);
void q_rope_store(const QRopeStoreParams& params, std::int32_t threads);
void small_gemm(const SmallGemmParams& params, std::int32_t threads);
void rmsnorm_mxfp8(const RmsnormParams& params, std::int32_t threads);
void candidate_lengths(const CandidateLengthsParams& params, std::int32_t threads);
void block_max(const BlockMaxParams& params, std::int32_t threads);
void sort_blocks(const SortBlocksParams& params, std::int32_t threads);
void candidate_slots(const CandidateSlotsParams& params, std::int32_t threads);
void filter_pages(const FilterPagesParams& params, std::int32_t threads);
void finish_selection(const FinishSelectionParams& params, std::int32_t threads);

void context_guard(const ContextGuardParams& params, std::int32_t threads);
void selection_stamp(const SelectionStampParams& params, std::int32_t threads);
void block_keys(const BlockKeysParams& params, std::int32_t threads);
void count_keys(const BlockKeysParams& params, std::int32_t threads);
void seal_blocks(const SealBlocksParams& params, std::int32_t threads);

void run_operation(OperationId id, const void* params, std::int32_t threads);

}  // namespace keysieve::cpu

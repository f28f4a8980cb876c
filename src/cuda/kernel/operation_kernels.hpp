// The kernels around selection, one file each.
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
#include "publish/seal_row.hpp"

extern "C" {
__global__ void keysieve_context_guard_kernel(const __grid_constant__ keysieve::ContextGuardParams params);
__global__ void keysieve_selection_stamp_kernel(const __grid_constant__ keysieve::SelectionStampParams params);
__global__ void keysieve_engram_gather_kernel(const __grid_constant__ keysieve::EngramGatherParams params);
__global__ void keysieve_count_keys_kernel(const __grid_constant__ keysieve::BlockKeysParams params);
__global__ void keysieve_seal_blocks_kernel(const __grid_constant__ keysieve::SealBlocksParams params);
__global__ void keysieve_q_rope_store_kernel(const __grid_constant__ keysieve::QRopeStoreParams params);
__global__ void keysieve_small_gemm_kernel(const __grid_constant__ keysieve::SmallGemmParams params);
__global__ void keysieve_rmsnorm_mxfp8_kernel(const __grid_constant__ keysieve::RmsnormParams params);
__global__ void keysieve_hc_rmsnorm_mxfp8_kernel(const __grid_constant__ keysieve::RmsnormParams params);
__global__ void keysieve_candidate_lengths_kernel(const __grid_constant__ keysieve::CandidateLengthsParams params);
__global__ void keysieve_block_max_kernel(const __grid_constant__ keysieve::BlockMaxParams params);
__global__ void keysieve_sort_blocks_kernel(const __grid_constant__ keysieve::SortBlocksParams params);
__global__ void keysieve_candidate_slots_kernel(const __grid_constant__ keysieve::CandidateSlotsParams params);
__global__ void keysieve_filter_pages_kernel(const __grid_constant__ keysieve::FilterPagesParams params);
__global__ void keysieve_finish_selection_kernel(const __grid_constant__ keysieve::FinishSelectionParams params);
}

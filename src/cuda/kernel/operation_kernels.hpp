// The kernels around selection, one file each.
#pragma once

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
}

// The kernels around selection, one file each.
#pragma once

#include "helpers/engram_gather.hpp"
#include "helpers/rmsnorm_mxfp8.hpp"
#include "publish/seal_row.hpp"

extern "C" {
__global__ void keysieve_engram_gather_kernel(const __grid_constant__ keysieve::EngramGatherParams params);
__global__ void keysieve_seal_blocks_kernel(const __grid_constant__ keysieve::SealBlocksParams params);
__global__ void keysieve_rmsnorm_mxfp8_kernel(const __grid_constant__ keysieve::RmsnormParams params);
__global__ void keysieve_hc_rmsnorm_mxfp8_kernel(const __grid_constant__ keysieve::RmsnormParams params);
}

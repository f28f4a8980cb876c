// Every kernel of the selection engine, one file each. Plain names, so that a kernel of another compiler's binary can
// be found and take the place of ours (kernel_table.hpp).
#pragma once

#include "cuda/block/limits.hpp"
#include "cuda/kernel_args.hpp"

// They take any block of 32 to kMaxCtaThreads threads (split: kMaxSplitThreads) with at most 64 registers a thread
// (split: 128); 64 also let two blocks of 512 share an SM.

extern "C" {
__global__ void keysieve_trivial_float32(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_trivial_bfloat16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_trivial_float16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_tile16_float32(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_tile16_bfloat16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_tile16_float16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_tile32_float32(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_tile32_bfloat16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_tile32_float16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_tile_cluster_float32(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_tile_cluster_bfloat16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_tile_cluster_float16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_sieve_float32(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_sieve_bfloat16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_sieve_float16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_split_float32(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_split_bfloat16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_split_float16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_wide_collect_float32(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_wide_collect_bfloat16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_wide_collect_float16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_wide_merge_float32(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_wide_merge_bfloat16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_wide_merge_float16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_publish_sieve_float32(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_publish_sieve_bfloat16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_publish_sieve_float16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_publish_split_float32(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_publish_split_bfloat16(const __grid_constant__ keysieve::SelectKernelArgs args);
__global__ void keysieve_publish_split_float16(const __grid_constant__ keysieve::SelectKernelArgs args);
}  // extern "C"

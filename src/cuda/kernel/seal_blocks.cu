#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/seal_blocks.hpp"

extern "C" __global__ void __launch_bounds__(128)
    keysieve_seal_blocks_kernel(const __grid_constant__ keysieve::SealBlocksParams params) {
  keysieve::seal_blocks(params);
}

#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/seal_blocks.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kSealBlocks))
    keysieve_seal_blocks_kernel(const __grid_constant__ keysieve::SealBlocksParams params) {
  keysieve::seal_blocks(params);
}

#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/block_max.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kBlockMax))
    keysieve_block_max_kernel(const __grid_constant__ keysieve::BlockMaxParams params) {
  keysieve::block_max(params);
}

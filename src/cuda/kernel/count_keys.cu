#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/seal_blocks.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kCountKeys))
    keysieve_count_keys_kernel(const __grid_constant__ keysieve::BlockKeysParams params) {
  keysieve::count_keys(params);
}

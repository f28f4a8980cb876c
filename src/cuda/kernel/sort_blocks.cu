#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/sort_blocks.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kSortBlocks), 1)
    keysieve_sort_blocks_kernel(const __grid_constant__ keysieve::SortBlocksParams params) {
  keysieve::sort_blocks(params);
}

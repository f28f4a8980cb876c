#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/engram_gather.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kEngramGather))
    keysieve_engram_gather_kernel(const __grid_constant__ keysieve::EngramGatherParams params) {
  keysieve::engram_gather(params);
}

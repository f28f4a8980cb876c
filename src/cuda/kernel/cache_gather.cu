#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/cache_copy.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kCacheGather))
    keysieve_cache_gather_kernel(const __grid_constant__ keysieve::CacheCopyParams params) {
  keysieve::cache_gather(params);
}

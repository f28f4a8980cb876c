#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/lengths.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kContextGuard))
    keysieve_context_guard_kernel(const __grid_constant__ keysieve::ContextGuardParams params) {
  keysieve::context_guard(params);
}

#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/rmsnorm_mxfp8.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kRmsnormMxfp8))
    keysieve_rmsnorm_mxfp8_kernel(const __grid_constant__ keysieve::RmsnormParams params) {
  keysieve::normalize_rows<keysieve::OneStream>(params);
}

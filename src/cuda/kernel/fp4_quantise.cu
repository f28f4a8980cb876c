#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/fp4_quantise.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kFp4Quantise))
    keysieve_fp4_quantise_kernel(const __grid_constant__ keysieve::KeyQuantiseParams params) {
  keysieve::fp4_quantise(params);
}

#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/fp8_quantise.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kFp8Quantise))
    keysieve_fp8_quantise_kernel(const __grid_constant__ keysieve::KeyQuantiseParams params) {
  keysieve::fp8_quantise(params);
}

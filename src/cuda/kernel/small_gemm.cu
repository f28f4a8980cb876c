#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/small_gemm.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kSmallGemm))
    keysieve_small_gemm_kernel(const __grid_constant__ keysieve::SmallGemmParams params) {
  keysieve::small_gemm(params);
}

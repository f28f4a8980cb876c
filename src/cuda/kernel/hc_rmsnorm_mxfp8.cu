#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/rmsnorm_mxfp8.hpp"

// With the 1 the compiler uses the 64 registers that there are, and eight loads of a thread are under way at once;
// without it, it waits for four before it asks for the next.
extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kHcRmsnormMxfp8), 1)
    keysieve_hc_rmsnorm_mxfp8_kernel(const __grid_constant__ keysieve::RmsnormParams params) {
  keysieve::normalize_rows<keysieve::FourStreams>(params);
}

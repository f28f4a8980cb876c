#include "cuda/kernel/kernels.hpp"
#include "cuda/route/sieve.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::kMaxCtaThreads, 1)
    keysieve_sieve_bfloat16(const __grid_constant__ keysieve::SelectKernelArgs args) {
  keysieve::select_sieve<keysieve::BFloat16Bits>(args);
}

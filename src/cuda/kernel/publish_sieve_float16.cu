#include "cuda/kernel/kernels.hpp"
#include "cuda/route/publish.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::kMaxCtaThreads, 1)
    keysieve_publish_sieve_float16(const __grid_constant__ keysieve::SelectKernelArgs args) {
  keysieve::publish_sieve<keysieve::Float16Bits>(args);
}

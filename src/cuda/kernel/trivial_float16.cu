#include "cuda/kernel/kernels.hpp"
#include "cuda/route/trivial.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::kMaxCtaThreads, 1)
    keysieve_trivial_float16(const __grid_constant__ keysieve::SelectKernelArgs args) {
  keysieve::select_trivial<keysieve::Float16Bits>(args);
}

#include "cuda/kernel/kernels.hpp"
#include "cuda/route/wide.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::kMaxCtaThreads, 1)
    keysieve_wide_collect_float16(const __grid_constant__ keysieve::SelectKernelArgs args) {
  keysieve::select_wide_collect<keysieve::Float16Bits>(args);
}

#include "cuda/kernel/kernels.hpp"
#include "cuda/route/split.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::kMaxSplitThreads, 1)
    keysieve_split_float32(const __grid_constant__ keysieve::SelectKernelArgs args) {
  keysieve::select_split<keysieve::Float32Bits>(args);
}

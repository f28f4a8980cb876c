#include "cuda/kernel/kernels.hpp"
#include "cuda/route/publish.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::kMaxSplitThreads, 1)
    keysieve_publish_split_float16(const __grid_constant__ keysieve::SelectKernelArgs args) {
  keysieve::publish_split<keysieve::Float16Bits>(args);
}

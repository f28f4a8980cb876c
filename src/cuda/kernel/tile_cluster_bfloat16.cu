#include "cuda/kernel/kernels.hpp"
#include "cuda/route/tile.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::kMaxCtaThreads, 1)
    keysieve_tile_cluster_bfloat16(const __grid_constant__ keysieve::SelectKernelArgs args) {
  keysieve::select_tile_cluster<keysieve::BFloat16Bits, 16>(args);
}

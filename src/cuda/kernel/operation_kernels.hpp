// The kernels around selection, one file each.
#pragma once

#include "helpers/engram_gather.hpp"

extern "C" {
__global__ void keysieve_engram_gather_kernel(const __grid_constant__ keysieve::EngramGatherParams params);
}

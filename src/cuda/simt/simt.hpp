// The few things that a CTA can do beyond plain C++, under names of our own. Device code includes this and
// nothing of CUDA's, so that every block algorithm and every route also compiles for the host, where
// tests/simt runs CTAs as fibers: the same source is tested without a GPU.
//
// Rules that both sides keep
//  - A block is a whole number of warps. Warp operations are called by all 32 lanes of a warp together, block
//    operations by all threads of a block, cluster operations by all threads of all blocks of a cluster.
//  - Another block's shared memory is only reached through RemoteShared (cluster.hpp), never by a pointer.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#include "cuda/simt/simt_device.hpp"
#else
#include "simt/simt_host.hpp"
#endif

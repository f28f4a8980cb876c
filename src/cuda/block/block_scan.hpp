// Prefix sums over the threads of a block, two barriers each. Written here because cub::BlockScan costs six seconds
// of compile time a file and fixes the number of threads at compile time.
#pragma once

#include "cuda/block/block.hpp"

namespace keysieve {

KEYSIEVE_DEVICE std::uint32_t warp_inclusive_sum(std::uint32_t value) {
  const int lane = simt::lane_index();
  KEYSIEVE_UNROLL
  for (int step = 1; step < simt::kWarpLanes; step *= 2) {
    const std::uint32_t below = simt::shuffle_up(value, step);
    if (lane >= step) value += below;
  }
  return value;
}

struct BlockSum {
  std::uint32_t before;  // of the threads in front
  std::uint32_t total;
};

// `partials` is free again after the next barrier.
KEYSIEVE_DEVICE BlockSum block_exclusive_sum(std::uint32_t* partials, std::uint32_t value) {
  const int lane = simt::lane_index();
  const int warp = simt::warp_index();
  const std::uint32_t inclusive = warp_inclusive_sum(value);
  if (lane == simt::kWarpLanes - 1) partials[warp] = inclusive;
  simt::sync_block();
  const std::uint32_t warps = warp_inclusive_sum(lane < simt::block_warps() ? partials[lane] : 0);
  const std::uint32_t in_front = simt::shuffle(warps, warp > 0 ? warp - 1 : 0);
  BlockSum sum;
  sum.total = simt::shuffle(warps, simt::kWarpLanes - 1);
  sum.before = (warp > 0 ? in_front : 0) + inclusive - value;
  return sum;
}

}  // namespace keysieve

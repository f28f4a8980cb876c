// Prefix sums over the threads of a block, two barriers each. Written here because cub::BlockScan costs six seconds
// of compile time a file and fixes the number of threads at compile time.
#pragma once

#include "cuda/block/block.hpp"

namespace keysieve {

KEYSIEVE_DEVICE std::uint32_t warp_inclusive_sum(std::uint32_t value) {
  KEYSIEVE_UNROLL
  for (int step = 1; step < simt::kWarpLanes; step *= 2) value = simt::add_from_below(value, step);
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
  // Two reductions take less time than a second scan.
  const std::uint32_t of_warp = lane < simt::block_warps() ? partials[lane] : 0;
  BlockSum sum;
  sum.total = simt::warp_sum(of_warp);
  sum.before = simt::warp_sum(lane < warp ? of_warp : 0) + inclusive - value;
  return sum;
}

}  // namespace keysieve

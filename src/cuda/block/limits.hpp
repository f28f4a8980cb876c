// Numbers that the planner and the kernels must agree on.
#pragma once

#include <cstdint>

#include "core/host_device.hpp"

namespace keysieve {

inline constexpr std::int32_t kWarpThreads = 32;
inline constexpr int kLog2WarpThreads = 5;
inline constexpr std::int32_t kMaxCtaThreads = 1024;
// Of route split: its CTAs have an SM each, and more registers serve them better than more threads.
inline constexpr std::int32_t kMaxSplitThreads = 512;

// Columns that a warp takes between two looks at the buffer's fill: what the candidate buffer has to spare per warp.
inline constexpr std::int32_t kChunkColumns = 256;

// Observations of a row's sample, at most; a power of two.
inline constexpr std::int32_t kMaxSamples = 512;
inline constexpr int kMaxSampleGroups = kMaxSamples / kWarpThreads;
// Places of the candidate buffer that the sample takes: a key an observation, three numbers a group.
inline constexpr std::int32_t kSampleEntries = (kMaxSamples + 3 * kMaxSampleGroups) / 2;

// Bins of a histogram.
inline constexpr std::int32_t kSelectBins = 1024;
// So few candidates are ranked by comparing all with all.
inline constexpr std::int32_t kMaxBoundary = 64;

// CTAs of the largest cluster.
inline constexpr std::int32_t kMaxClusterCtas = 16;

// Route split: the places in the first CTA's shared memory where those of its cluster put their candidates, all
// together: more than the first cutoff leaves of nearly any row.
KEYSIEVE_HOST_DEVICE constexpr std::int32_t inbox_entries(std::int32_t candidate_capacity) {
  return candidate_capacity / 2 * 2 + 64 * kMaxClusterCtas;
}

// What a sort of `value` entries pads to.
KEYSIEVE_HOST_DEVICE constexpr std::int32_t power_of_two_at_least(std::int32_t value) {
  std::int32_t power = 1;
  while (power < value) power *= 2;
  return power;
}

// Route tile: columns that a thread keeps in registers, as few as will do. In a cluster always the fewer: there are
// threads enough.
inline constexpr std::int32_t kTileThreadColumns = 16;
inline constexpr std::int32_t kMostTileThreadColumns = 32;
KEYSIEVE_HOST_DEVICE constexpr bool tile_holds(std::int64_t width, std::int32_t threads, std::int32_t split) {
  const std::int64_t columns = split > 1 ? kTileThreadColumns : kMostTileThreadColumns;
  return width <= columns * threads * split;
}
KEYSIEVE_HOST_DEVICE constexpr std::int32_t tile_thread_columns(std::int64_t width, std::int32_t threads) {
  return width <= std::int64_t{kTileThreadColumns} * threads ? kTileThreadColumns : kMostTileThreadColumns;
}

}  // namespace keysieve

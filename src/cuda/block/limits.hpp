// Numbers that the planner and the kernels must agree on.
#pragma once

#include <cstdint>

#include "core/host_device.hpp"

namespace keysieve {

inline constexpr std::int32_t kWarpThreads = 32;
inline constexpr std::int32_t kMaxCtaThreads = 1024;
// Of route split: its CTAs have an SM each, and more registers serve them better than more threads.
inline constexpr std::int32_t kMaxSplitThreads = 512;

// Columns that a warp takes between two looks at the buffer's fill: what the candidate buffer has to spare per warp.
inline constexpr std::int32_t kChunkColumns = 256;
// The same where the row lies in shared memory: one 16-byte vector a lane.
KEYSIEVE_HOST_DEVICE constexpr std::int32_t tile_chunk_columns(std::int32_t score_bytes) {
  return kWarpThreads * 16 / score_bytes;
}

inline constexpr std::int32_t kMaxSamples = 512;

// What a sort of `value` entries pads to.
KEYSIEVE_HOST_DEVICE constexpr std::int32_t power_of_two_at_least(std::int32_t value) {
  std::int32_t power = 1;
  while (power < value) power *= 2;
  return power;
}

// 16-byte vectors of a row of `width` columns, whatever its alignment.
KEYSIEVE_HOST_DEVICE constexpr std::int64_t tile_vectors(std::int64_t width, std::int32_t score_bytes) {
  return width * score_bytes / 16 + 2;
}

}  // namespace keysieve

// A CTA's shared memory. The layout is a function of the plan's numbers, so that the planner (host) and the kernel
// agree on it by construction.
//
//   BlockState | warp partials | bins (also: sampled keys) | candidates | tile (route tile: the row itself)
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/host_device.hpp"
#include "core/row_geometry.hpp"
#include "cuda/block/composite.hpp"

namespace keysieve {

// Fields that warps write on their own, without a barrier between them and what the others do, lie in groups of 16
// bytes apart: the compiler reads neighbouring fields in one go, and a race detector cannot know that the rest is not
// used.
struct alignas(16) BlockState {
  std::uint32_t num_candidates;  // while a row is read: by every warp
  std::uint32_t nan_seen;
  alignas(16) Cutoff cutoff;
  Cutoff ceiling;  // second read: what it took is there already
  std::uint32_t has_ceiling;
  std::uint32_t num_keyed;             // candidates that are composites already
  std::uint32_t compactions;           // how often the candidate buffer was reduced
  std::uint32_t published_candidates;  // num_candidates as the other CTAs of a cluster may read it
  RowGeometry geometry;                // of the row in work
  Composite threshold;                 // block_select's result
  std::uint32_t lowest_key, highest_key;
  std::uint32_t found_bin, found_above, found_count;
  std::uint32_t num_boundary;
  alignas(16) std::uint32_t num_slots;  // slots already given out, order any
};

inline constexpr int kMaxWarps = 32;

// Bins of a histogram: four a thread, one 16-byte access each.
KEYSIEVE_HOST_DEVICE constexpr std::int32_t bins_of(std::int32_t threads) { return 4 * threads; }

struct SharedLayout {
  std::int32_t partials;  // byte offsets
  std::int32_t bins;
  std::int32_t candidates;
  std::int32_t tile;
  std::int32_t bytes;

  KEYSIEVE_HOST_DEVICE constexpr SharedLayout(std::int32_t threads, std::int32_t capacity, std::int32_t tile_vectors)
      : partials(sizeof(BlockState)),
        bins(partials + kMaxWarps * 4),
        candidates(bins + bins_of(threads) * 4),
        tile(candidates + (capacity * 8 + 15) / 16 * 16),
        bytes(tile + tile_vectors * 16) {}
};
static_assert(sizeof(BlockState) % 16 == 0);

}  // namespace keysieve

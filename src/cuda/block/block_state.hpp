// A CTA's shared memory. The layout is a function of the plan's numbers, so that the planner (host) and the kernel
// agree on it by construction.
//
//   BlockState | warp partials | boundary | bins | candidates (at first: the sample) |
//     inbox (route split: bins of its own, and candidates; route tile in a cluster: ClusterMemory)
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/host_device.hpp"
#include "core/row_geometry.hpp"
#include "cuda/block/composite.hpp"
#include "cuda/block/limits.hpp"

namespace keysieve {

// A bin of a histogram, and where it lies among the others.
struct FoundBin {
  std::uint32_t bin;
  std::uint32_t above;  // what lies in higher bins
  std::uint32_t count;  // what lies in this one
};

// Fields that warps write on their own, without a barrier between them and what the others do, lie in groups of 16
// bytes apart: the compiler reads neighbouring fields in one go, and a race detector cannot know that the rest is not
// used.
struct alignas(16) BlockState {
  std::uint32_t num_candidates;  // while a row is read: by every warp
  std::uint32_t nan_seen;
  alignas(16) Cutoff cutoff;
  Cutoff ceiling;              // second read: what it took is there already
  std::uint32_t num_keyed;     // candidates that are composites already
  std::uint32_t compactions;   // how often the candidate buffer was reduced
  std::uint32_t second_reads;  // how often the row was read again
  std::uint32_t needs_scores;  // 0: every column of the row is chosen
  RowGeometry geometry;        // of the row in work
  // What the row's best column is about, from its sample; 0 where nobody has looked.
  std::uint32_t highest_key;
  FoundBin found_bin;
  // block_select: what lies in one bin.
  std::uint32_t lowest_in_bin, highest_in_bin;
  std::uint32_t lowest_rank_in_bin, highest_rank_in_bin;
  std::uint32_t num_boundary;
  alignas(16) std::uint32_t num_slots;  // slots already given out, order any
  // Route split, in the first CTA: candidates in the inbox. In each: where its own ones begin there.
  alignas(16) std::uint32_t num_sent;
  std::uint32_t first_sent;
  // Written by the other CTAs of a cluster, between two cluster barriers.
  alignas(16) std::uint32_t cluster_candidates[kMaxClusterCtas];
  std::uint32_t cluster_notes[kMaxClusterCtas];  // 2 x compactions + whether a NaN was seen
};

inline constexpr int kMaxWarps = 32;

// What the blocks of a cluster tell each other of a row in their registers: in every block, behind its candidate
// buffer.
struct ClusterMemory {
  std::uint64_t ranges[2][kMaxClusterCtas];  // highest key, lowest key
  std::uint32_t sums[4][kMaxClusterCtas];
  std::uint32_t num_boundary[kMaxClusterCtas];
  std::uint32_t chosen_in_front;
  std::uint32_t padding[3];
  std::uint32_t slice[kSelectBins];  // zero but while bins are added up: this block's share of them
  Composite boundary[kMaxClusterCtas][kMaxBoundary];
};
static_assert(sizeof(ClusterMemory) % 16 == 0);

struct SharedLayout {
  std::int32_t partials;  // byte offsets
  std::int32_t boundary;
  std::int32_t bins;
  std::int32_t candidates;
  std::int32_t inbox;
  std::int32_t bytes;

  KEYSIEVE_HOST_DEVICE constexpr SharedLayout(std::int32_t capacity, std::int32_t inbox_bytes = 0)
      : partials(sizeof(BlockState)),
        boundary(partials + kMaxWarps * 4),
        bins(boundary + kMaxBoundary * 8),
        candidates(bins + kSelectBins * 4),
        inbox(candidates + (capacity * 8 + 15) / 16 * 16),
        bytes(inbox + inbox_bytes) {}

  // Of route split.
  KEYSIEVE_HOST_DEVICE static constexpr SharedLayout with_inbox(std::int32_t capacity) {
    return SharedLayout(capacity, kSelectBins * 4 + inbox_entries(capacity) * 8);
  }
};
static_assert(sizeof(BlockState) % 16 == 0);

}  // namespace keysieve

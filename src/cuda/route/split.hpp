// Route split: the CTAs of a cluster share a row. Each reads interleaved pieces of it behind the same first cutoff;
// the first CTA collects their candidates over distributed shared memory. See docs/algorithms/split.md.
#pragma once

#include "cuda/route/row_task.hpp"
#include "cuda/simt/cluster.hpp"

namespace keysieve {

// Makes this CTA's candidates visible to the cluster and waits for those of the others. The count is a copy: the first
// CTA's own goes on changing while others still read it.
KEYSIEVE_DEVICE void publish_candidates(const Block& block) {
  if (simt::thread_index() == 0) block.state->published_candidates = block.state->num_candidates;
  simt::sync_cluster();
}

// Counts of the cluster's CTAs, one a lane: all are asked at once, as each answer takes about a microsecond.
struct ClusterCounts {
  std::uint32_t of_lane;  // candidates of CTA `lane`
  std::uint32_t total;

  KEYSIEVE_DEVICE explicit ClusterCounts(const Block& block) : of_lane(0) {
    if (simt::lane_index() < simt::cluster_blocks()) {
      of_lane = simt::RemoteShared(&block.state->published_candidates, simt::lane_index()).load_u32(0);
    }
    total = simt::warp_sum(of_lane);
  }
};

// The first CTA takes over the candidates of the others. All its threads; ends with a barrier.
KEYSIEVE_DEVICE void gather_candidates(const Block& block, const ClusterCounts& counts) {
  const int blocks = simt::cluster_blocks();
  if (static_cast<std::int32_t>(counts.total) <= block.capacity) {
    // Everything fits: warps share the other CTAs, and each candidate goes straight to its place.
    const std::uint32_t inclusive = warp_inclusive_sum(counts.of_lane);
    const int warps = simt::block_warps();
    const int warp = simt::warp_index();
    const int others = blocks - 1;
    const int step = warps < others ? warps : others;
    KEYSIEVE_NO_UNROLL
    for (int other = 1 + (others > 0 ? warp % others : 0); other < blocks; other += step) {
      const int helpers = warps < others ? 1 : (warps - other) / others + 1;
      const int helper = warps < others ? 0 : warp / others;
      const std::uint32_t count = simt::shuffle(counts.of_lane, other);
      const std::uint32_t to = simt::shuffle(inclusive, other) - count;
      const simt::RemoteShared candidates(block.candidates, other);
      for (auto i = static_cast<std::uint32_t>(helper * simt::kWarpLanes + simt::lane_index()); i < count;
           i += static_cast<std::uint32_t>(helpers * simt::kWarpLanes)) {
        block.candidates[to + i] = candidates.load_u64(i);
      }
    }
    simt::sync_block();
    if (simt::thread_index() == 0) {
      block.state->num_candidates = counts.total;
      block.state->num_keyed = counts.total;
    }
    simt::sync_block();
    return;
  }
  KEYSIEVE_NO_UNROLL
  for (int other = 1; other < blocks; ++other) {
    const auto count = static_cast<std::int32_t>(simt::shuffle(counts.of_lane, other));
    const simt::RemoteShared candidates(block.candidates, other);
    add_candidates(block, count, [&candidates](std::int32_t i) { return candidates.load_u64(i); });
  }
}

template <typename Format>
KEYSIEVE_DEVICE void select_split(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const int rank = simt::cluster_rank();
  const int blocks = simt::cluster_blocks();
  const std::int64_t row_index = simt::block_index() / blocks;
  const RowGeometry geometry = row_geometry(args.problem, args.args, row_index);
  if (is_trivial(args.problem, geometry)) {  // for all CTAs of the cluster alike, so none waits for another
    if (rank == 0) finish_trivial<Format>(args, row_index, geometry);
    return;
  }
  const Block block(args);
  block.reset(geometry);
  simt::sync_block();
  const GlobalRow<Format> row(vectors_of<Format>(args, row_index, geometry));
  Stream<Format, GlobalRow<Format>> stream(block, row, part_of_row(rank, blocks));
  // Every CTA draws the same sample, so all have the same cutoff without exchanging it.
  set_first_cutoff<Format>(args, block, row_index, row);
  const Cutoff first = block.state->cutoff;
  RowCounters counters{0, 0, 0};
  stream.run(part_of_row(rank, blocks));
  publish_candidates(block);
  ClusterCounts counts(block);
  if (cutoff_was_too_high(block, row.vectors().length(), counts.total, first)) {
    simt::sync_cluster();  // the counts are read until here
    stream.start_again_below(first);
    stream.run(part_of_row(rank, blocks));
    publish_candidates(block);
    counts = ClusterCounts(block);
    counters.second_reads = 1;
  }
  if (rank != 0) {
    simt::sync_cluster();  // stays until its candidates have been collected
    return;
  }
  if (simt::lane_index() > 0 && simt::lane_index() < blocks) {
    counters.compactions = simt::RemoteShared(&block.state->compactions, simt::lane_index()).load_u32(0);
    counters.nan_seen = simt::RemoteShared(&block.state->nan_seen, simt::lane_index()).load_u32(0);
  }
  counters.compactions = simt::warp_sum(counters.compactions);
  counters.nan_seen = simt::warp_max(counters.nan_seen);
  gather_candidates(block, counts);
  simt::sync_cluster();
  write_row<Format>(args, block, row_index, threshold_of_gathered(block), counters);
}

}  // namespace keysieve

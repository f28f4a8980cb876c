// Route split: the CTAs of a cluster share a row. Each reads interleaved pieces of it behind the same first cutoff and
// puts what passes into the first CTA's inbox, over distributed shared memory. See docs/algorithms/split.md.
#pragma once

#include "cuda/route/row_task.hpp"
#include "cuda/simt/cluster.hpp"

namespace keysieve {

// Where CTA `rank` of `blocks` puts its candidates in the first CTA's inbox. The first has none: its own stay in place.
struct InboxPart {
  std::int32_t first;
  std::int32_t capacity;

  KEYSIEVE_DEVICE InboxPart(const Block& block, int rank, int blocks)
      : capacity(blocks > 1 ? inbox_entries(block.capacity) / (blocks - 1) : 0) {
    first = (rank - 1) * capacity;
  }
};

// Candidates of the cluster's CTAs, one a lane; the same in every CTA once they are there.
struct ClusterCounts {
  std::uint32_t of_lane;  // candidates of CTA `lane`
  std::uint32_t total;

  KEYSIEVE_DEVICE explicit ClusterCounts(const Block& block) {
    const int lane = simt::lane_index();
    of_lane = lane < simt::cluster_blocks() ? block.state->cluster_candidates[lane] : 0;
    total = simt::warp_sum(of_lane);
  }
};

// Sends this CTA's candidates to the first, and their number to all; then waits for those of the others. Stores alone:
// nobody waits for an answer, as a load from another CTA takes about a microsecond. All threads, behind a barrier.
KEYSIEVE_DEVICE void publish_candidates(const Block& block, int rank, int blocks) {
  const std::uint32_t count = block.state->num_candidates;
  const InboxPart part(block, rank, blocks);
  if (rank != 0 && static_cast<std::int32_t>(count) <= part.capacity) {
    const simt::RemoteShared inbox(block.inbox() + part.first, 0);
    KEYSIEVE_UNROLL_BY_4
    for (auto i = static_cast<std::uint32_t>(simt::thread_index()); i < count;
         i += static_cast<std::uint32_t>(simt::block_threads())) {
      inbox.store_u64(i, block.candidates[i]);
    }
  }
  if (simt::thread_index() < blocks) {
    const simt::RemoteShared counts(block.state->cluster_candidates, simt::thread_index());
    const simt::RemoteShared notes(block.state->cluster_notes, simt::thread_index());
    counts.store_u32(rank, count);
    notes.store_u32(rank, 2 * block.state->compactions + block.state->nan_seen);
  }
  simt::sync_cluster();
}

// The first CTA: all candidates of the cluster into one buffer, from the inbox; then the k-th largest, or 0 where there
// are no more than k. Only where the buffer and every part of the inbox hold theirs.
KEYSIEVE_DEVICE Composite select_from_inbox(const Block& block, const ClusterCounts& counts, int blocks) {
  const auto total = static_cast<std::int32_t>(counts.total);
  const auto own = static_cast<std::int32_t>(block.state->num_candidates);
  // A raised cutoff is this CTA's own: the others may have sent candidates below it.
  const bool knows_range = total > block.k && block.state->highest_key != 0 && block.state->compactions == 0;
  const Search search = search_keys(knows_range, block.state->cutoff.key, block.state->highest_key);
  if (knows_range) count_in_bins(block, own, search);
  const std::uint32_t inclusive = warp_inclusive_sum(counts.of_lane);
  // Warps share the other CTAs.
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
    const Composite* sent = block.inbox() + InboxPart(block, other, blocks).first;
    KEYSIEVE_UNROLL_BY_4
    for (auto i = static_cast<std::uint32_t>(helper * simt::kWarpLanes + simt::lane_index()); i < count;
         i += static_cast<std::uint32_t>(helpers * simt::kWarpLanes)) {
      const Composite candidate = sent[i];
      block.candidates[to + i] = candidate;
      if (knows_range) simt::atomic_add(&block.bins[search.bin(candidate)], 1);
    }
  }
  simt::sync_block();
  if (simt::thread_index() == 0) block.state->num_candidates = counts.total;
  return select_within(block, total, block.k, search, knows_range);
}

// The same through the compacting buffer, straight from the other CTAs: whatever there is, slowly.
KEYSIEVE_DEVICE Composite select_from_others(const Block& block, const ClusterCounts& counts, int blocks) {
  KEYSIEVE_NO_UNROLL
  for (int other = 1; other < blocks; ++other) {
    const auto count = static_cast<std::int32_t>(simt::shuffle(counts.of_lane, other));
    const simt::RemoteShared candidates(block.candidates, other);
    add_candidates(block, count, [&candidates](std::int32_t i) { return candidates.load_u64(i); });
  }
  return block_select(block, static_cast<std::int32_t>(block.state->num_candidates), block.k);
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
  simt::arrive_at_cluster();  // others write into this CTA's memory once they have heard of its reset
  const GlobalRow<Format> row(vectors_of<Format>(args, row_index, geometry));
  Stream<Format, GlobalRow<Format>> stream(block, row, part_of_row(rank, blocks));
  // Every CTA draws the same sample, so all have the same cutoff without exchanging it.
  set_cutoff(block, first_cutoff<Format>(args, block, row_index, row));
  RowCounters counters{0, 0, 0};
  stream.run(part_of_row(rank, blocks));
  simt::wait_for_cluster();
  publish_candidates(block, rank, blocks);
  ClusterCounts counts(block);
  // All CTAs decide alike: where one has raised its cutoff, there are k candidates.
  if (cutoff_was_too_high(block, row.vectors().length(), counts.total, block.state->cutoff)) {
    simt::sync_cluster();  // the counts are read until here
    start_again_below_cutoff(block);
    Stream<Format, GlobalRow<Format>, true>(block, row, part_of_row(rank, blocks)).run(part_of_row(rank, blocks));
    publish_candidates(block, rank, blocks);
    counts = ClusterCounts(block);
    counters.second_reads = 1;
  }
  const bool is_sender = simt::lane_index() > 0 && simt::lane_index() < blocks;
  const bool all_sent =
      simt::warp_all(!is_sender || static_cast<std::int32_t>(counts.of_lane) <= InboxPart(block, 1, blocks).capacity);
  const bool from_inbox = all_sent && static_cast<std::int32_t>(counts.total) <= block.capacity;
  if (rank != 0) {
    if (!from_inbox) simt::sync_cluster();  // stays until its candidates have been collected
    return;
  }
  const std::uint32_t notes = is_sender ? block.state->cluster_notes[simt::lane_index()] : 0;
  counters.compactions = simt::warp_sum(notes / 2);
  counters.nan_seen = simt::warp_max(notes % 2);
  const Composite threshold =
      from_inbox ? select_from_inbox(block, counts, blocks) : select_from_others(block, counts, blocks);
  if (!from_inbox) simt::sync_cluster();
  write_row<Format>(args, block, row_index, threshold, counters);
}

}  // namespace keysieve

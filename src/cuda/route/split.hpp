// Route split: the CTAs of a cluster share a row. Each reads interleaved pieces of it behind the same first cutoff and
// puts what passes into the first CTA's inbox, over distributed shared memory. See docs/algorithms/split.md.
#pragma once

#include "cuda/route/register_task.hpp"
#include "cuda/simt/cluster.hpp"

namespace keysieve {

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

// Sends this CTA's candidates to the first, and their number to all; then waits for those of the others. Where there
// are more than the inbox holds, some are not sent. All threads; each sends what it has keyed itself, so no barrier is
// needed before.
KEYSIEVE_DEVICE void publish_candidates(const Block& block, int rank, int blocks) {
  const std::uint32_t count = block.state->num_candidates;
  if (simt::thread_index() == 0) {
    block.state->first_sent = simt::RemoteShared(&block.state->num_sent, 0).fetch_add_u32(0, count);
  }
  simt::sync_block();
  const Block inbox = block.inbox();
  const std::uint32_t first = block.state->first_sent;
  if (first + count <= static_cast<std::uint32_t>(inbox.capacity)) {
    const simt::RemoteShared candidates(inbox.candidates + first, 0);
    KEYSIEVE_UNROLL_BY_4
    for (auto i = static_cast<std::uint32_t>(simt::thread_index()); i < count;
         i += static_cast<std::uint32_t>(simt::block_threads())) {
      candidates.store_u64(i, block.candidates[i]);
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

// The first CTA, where the inbox is too small: through the compacting buffer, straight from the other CTAs.
KEYSIEVE_DEVICE void collect_from_others(const Block& block, const ClusterCounts& counts, int blocks) {
  KEYSIEVE_NO_UNROLL
  for (int other = 1; other < blocks; ++other) {
    const auto count = static_cast<std::int32_t>(simt::shuffle(counts.of_lane, other));
    const simt::RemoteShared candidates(block.candidates, other);
    add_candidates(block, count, [&candidates](std::int32_t i) { return candidates.load_u64(i); });
  }
}

// `Tasks` says what else is done with the row: PlainRow, or the keys of its blocks (route/publish.hpp).
template <typename Format, typename Tasks>
KEYSIEVE_DEVICE void select_split_with(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const int rank = simt::cluster_rank();
  const int blocks = simt::cluster_blocks();
  const std::int64_t row_index = simt::block_index() / blocks;
  const Block block(args);
  begin_row(args, block, row_index);
  const RowGeometry geometry = block.state->geometry;
  const Tasks tasks(args, row_index, geometry, rank, blocks);
  if (block.state->needs_scores == 0) {  // for all CTAs of the cluster alike, so none waits for another
    if (rank == 0) finish_trivial<Format>(args, row_index, geometry);
    tasks.without_stream();
    return;
  }
  if (is_short(geometry)) {  // what a row costs follows its length, not the width that a graph was captured for
    if (rank == 0) answer_short_row<Format>(args, block, row_index, geometry);
    tasks.without_stream();
    return;
  }
  block.inbox().clear_bins();
  simt::arrive_at_cluster();  // others write into this CTA's memory once they have heard that it is ready
  const GlobalRow<Format> row(vectors_of<Format>(args, row_index, geometry));
  Stream<Format, GlobalRow<Format>, false, typename Tasks::Watch> stream(block, row, part_of_row(rank, blocks),
                                                                         tasks.watch(row.vectors().lead()));
  // Every CTA draws the same sample, so all have the same cutoff without exchanging it.
  const Cutoff first = first_cutoff<Format>(args, block, row_index, row);
  set_cutoff(block, first);
  stream.run();
  simt::wait_for_cluster();
  publish_candidates(block, rank, blocks);
  ClusterCounts counts(block);
  // All CTAs decide alike: where one has raised its cutoff, there are k candidates.
  if (cutoff_was_too_high(block, row.vectors().length(), counts.total, block.state->cutoff)) {
    if (simt::thread_index() == 0) block.state->num_sent = 0;
    simt::sync_cluster();  // the counts are read until here
    start_again_below_cutoff(block);
    Stream<Format, GlobalRow<Format>, true>(block, row, part_of_row(rank, blocks)).run();
    publish_candidates(block, rank, blocks);
    counts = ClusterCounts(block);
  }
  const Block inbox = block.inbox();
  const bool all_sent = static_cast<std::int32_t>(counts.total) <= inbox.capacity;
  if (rank != 0) {
    if (!all_sent) simt::sync_cluster();  // stays until its candidates have been collected
    return;
  }
  const bool is_other = simt::lane_index() > 0 && simt::lane_index() < blocks;
  const std::uint32_t notes = is_other ? block.state->cluster_notes[simt::lane_index()] : 0;
  Found found{static_cast<std::int32_t>(counts.total),
              nothing_counted(),
              {simt::warp_sum(notes / 2), simt::warp_max(notes % 2)}};
  if (all_sent) {
    // Counted here: by the senders, who would have to wait for each other at the same bins, it takes longer.
    if (block.state->highest_key != 0 && block.state->second_reads == 0 && found.num_candidates > block.k) {
      found.histogram = {search_keys(first.key, block.state->highest_key), true};
      count_in_bins(inbox, found.num_candidates, found.histogram.search, every_candidate());
    }
    write_row<Format>(args, inbox, row_index, found);
    return;
  }
  collect_from_others(block, counts, blocks);
  simt::sync_cluster();
  found.num_candidates = static_cast<std::int32_t>(block.state->num_candidates);
  write_row<Format>(args, block, row_index, found);
}

// Nothing but the selection.
struct PlainRow {
  using Watch = NoWatch;
  KEYSIEVE_DEVICE PlainRow(const SelectKernelArgs&, std::int64_t, const RowGeometry&, int, int) {}
  KEYSIEVE_DEVICE void without_stream() const {}
  KEYSIEVE_DEVICE Watch watch(std::int32_t) const { return {}; }
};

template <typename Format>
KEYSIEVE_DEVICE void select_split(const SelectKernelArgs& args) {
  select_split_with<Format, PlainRow>(args);
}

}  // namespace keysieve

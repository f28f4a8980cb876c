// From candidates to output slots: the exact k best, in the order that was asked for.
#pragma once

#include "cuda/block/block_sort.hpp"
#include "cuda/block/candidate_buffer.hpp"
#include "cuda/block/index_order.hpp"
#include "cuda/block/row_output.hpp"

namespace keysieve {

// How a chosen candidate finds its slot.
enum class Placement { kAny, kAscending, kBitmap, kSorted };

// The first `count` candidates are the chosen ones: they become the sort keys of `order`, sorted. Ends with a barrier.
KEYSIEVE_DEVICE void sort_chosen(const Block& block, std::int32_t count, SlotOrder order) {
  KEYSIEVE_NO_UNROLL
  for (std::int32_t i = simt::thread_index(); i < count; i += simt::block_threads()) {
    const Composite candidate = block.candidates[i];
    // Smaller positions first, among equal scores too, also where ties went to the larger ones.
    const auto rank = static_cast<std::uint32_t>(~block.ties.position(rank_of(candidate)));
    block.candidates[i] = make_composite(order == SlotOrder::kScore ? key_of(candidate) : 0, rank);
  }
  simt::sync_block();
  sort_descending(block.candidates, count);
}

// Candidates of a warp: a run of them, so that the order of the candidates is that of the warps.
struct WarpRun {
  std::int32_t first;
  std::int32_t end;

  KEYSIEVE_DEVICE explicit WarpRun(std::int32_t num_candidates) {
    const std::int32_t lanes = simt::block_threads();
    const std::int32_t run = (num_candidates + lanes - 1) / lanes * simt::kWarpLanes;
    first = simt::warp_index() * run;
    end = first + run < num_candidates ? first + run : num_candidates;
  }
};

// The first slot of the caller's warp: one after the other where `ascending`, else as they come, without a barrier.
KEYSIEVE_DEVICE std::uint32_t first_slot_of_warp(const Block& block, const WarpRun& run, Composite threshold,
                                                 bool ascending) {
  const int lane = simt::lane_index();
  std::uint32_t mine = 0;
  KEYSIEVE_UNROLL_BY_4
  for (std::int32_t i = run.first + lane; i < run.end; i += simt::kWarpLanes) {
    mine += block.candidates[i] >= threshold ? 1u : 0u;
  }
  const std::uint32_t warp_total = simt::warp_sum(mine);
  const int warp = simt::warp_index();
  if (ascending) {
    if (lane == 0) block.partials[warp] = warp_total;
    simt::sync_block();
    return simt::warp_sum(lane < warp ? block.partials[lane] : 0);
  }
  std::uint32_t slot = 0;
  if (lane == 0) slot = simt::atomic_add(&block.state->num_slots, warp_total);
  return simt::shuffle(slot, 0);
}

// All threads; every candidate is visible. The candidates hold all columns that can belong to the answer; those that do
// are at or above `threshold`.
template <typename Format>
KEYSIEVE_DEVICE void finish_row(const Block& block, Composite threshold, SlotOrder order, std::int64_t length,
                                RowOutput<Format>& output) {
  auto num_candidates = static_cast<std::int32_t>(block.state->num_candidates);
  const std::int32_t count = num_candidates < block.k ? num_candidates : block.k;
  const bool ascending = block.state->is_ascending != 0;
  // The bitmap lives in the part of the buffer that holds no candidates; the losers make room if they must.
  const auto fits_behind = [&](std::int32_t used) {
    return static_cast<std::int64_t>(block.capacity - (used + used % 2)) * 8 >= PositionBitmap::bytes(length);
  };
  const bool needs_bitmap = order == SlotOrder::kIndex && !ascending;
  const bool needs_room = order == SlotOrder::kScore || (needs_bitmap && !fits_behind(num_candidates));
  if (needs_room && num_candidates > count) {
    keep_at_or_above(block, num_candidates, threshold);
    num_candidates = count;
  }
  Placement placement = ascending ? Placement::kAscending : Placement::kAny;
  if (order == SlotOrder::kScore) placement = Placement::kSorted;
  if (needs_bitmap) placement = fits_behind(num_candidates) ? Placement::kBitmap : Placement::kSorted;
  PositionBitmap bitmap(block.candidates + num_candidates + num_candidates % 2, length);
  std::uint32_t first_slot = 0;
  const WarpRun run(num_candidates);
  if (placement == Placement::kSorted) {
    sort_chosen(block, count, order);
    threshold = 0;
  } else if (placement == Placement::kBitmap) {
    bitmap.clear();
    KEYSIEVE_UNROLL_BY_4
    for (std::int32_t i = simt::thread_index(); i < num_candidates; i += simt::block_threads()) {
      const Composite candidate = block.candidates[i];
      if (candidate >= threshold) bitmap.set(block.ties.position(rank_of(candidate)));
    }
    bitmap.count(block.partials);
  } else {
    first_slot = first_slot_of_warp(block, run, threshold, placement == Placement::kAscending);
  }

  const int lane = simt::lane_index();
  KEYSIEVE_NO_UNROLL
  for (std::int32_t first = run.first; first < run.end; first += simt::kWarpLanes) {
    const std::int32_t i = first + lane;
    const Composite candidate = i < num_candidates ? block.candidates[i] : 0;
    const bool chosen = i < num_candidates && candidate >= threshold;
    std::int64_t position = block.ties.position(rank_of(candidate));
    std::int32_t slot = i;
    if (placement == Placement::kSorted) {
      position = static_cast<std::int64_t>(~rank_of(candidate));
    } else if (placement == Placement::kBitmap) {
      slot = chosen ? bitmap.slot_of(position) : 0;
    } else {
      const std::uint32_t ballot = simt::warp_ballot(chosen);
      slot = static_cast<std::int32_t>(first_slot) + simt::count_ones(ballot & ((1u << lane) - 1));
      first_slot += static_cast<std::uint32_t>(simt::count_ones(ballot));
    }
    if (chosen) output.put(slot, position);
  }
  output.finish(count);
}

}  // namespace keysieve

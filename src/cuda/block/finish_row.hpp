// From candidates to output slots: the exact k best, in the order that was asked for.
#pragma once

#include "cuda/block/block_sort.hpp"
#include "cuda/block/candidate_buffer.hpp"
#include "cuda/block/index_order.hpp"
#include "cuda/block/row_output.hpp"

namespace keysieve {

// How a chosen candidate finds its slot.
enum class Placement { kAscending, kBitmap, kSorted };

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

// The first slot of the caller's warp, one warp's after the other's.
KEYSIEVE_DEVICE std::uint32_t first_slot_of_warp(const Block& block, const WarpRun& run, Composite threshold) {
  const int lane = simt::lane_index();
  std::uint32_t mine = 0;
  KEYSIEVE_UNROLL_BY_4
  for (std::int32_t i = run.first + lane; i < run.end; i += simt::kWarpLanes) {
    mine += block.candidates[i] >= threshold ? 1u : 0u;
  }
  const std::uint32_t warp_total = simt::warp_sum(mine);
  const int warp = simt::warp_index();
  if (lane == 0) block.partials[warp] = warp_total;
  simt::sync_block();
  return simt::warp_sum(lane < warp ? block.partials[lane] : 0);
}

// Chosen candidates to slots as they come; those at the boundary are ranked behind one barrier and take the last slots.
// Several of a thread's candidates at once: one place in line for all of them, and their loads wait together.
template <typename Slots>
KEYSIEVE_DEVICE void emit_any(const Block& block, std::int32_t num_candidates, const Boundary& boundary, Slots& slots) {
  constexpr int kBatch = 4;
  const int lane = simt::lane_index();
  const std::uint32_t lanes_before = (1u << lane) - 1;
  KEYSIEVE_NO_UNROLL
  for (std::int32_t first = simt::thread_index() - lane; first < num_candidates;
       first += kBatch * simt::block_threads()) {
    Composite candidates[kBatch];
    std::uint32_t chosen[kBatch];
    std::uint32_t total = 0;
    KEYSIEVE_UNROLL
    for (int j = 0; j < kBatch; ++j) {
      const std::int32_t i = first + j * simt::block_threads() + lane;
      candidates[j] = i < num_candidates ? block.candidates[i] : 0;
      if (i < num_candidates && boundary.range.contains(candidates[j])) put_at_boundary(block, candidates[j]);
      chosen[j] = simt::warp_ballot(candidates[j] > boundary.range.last);
      total += static_cast<std::uint32_t>(simt::count_ones(chosen[j]));
    }
    std::uint32_t slot = 0;
    if (lane == 0) slot = simt::atomic_add(&block.state->num_slots, total);
    slot = simt::shuffle(slot, 0);
    KEYSIEVE_UNROLL
    for (int j = 0; j < kBatch; ++j) {
      if (candidates[j] > boundary.range.last) {
        slots.put(static_cast<std::int32_t>(slot) + simt::count_ones(chosen[j] & lanes_before),
                  block.ties.position(rank_of(candidates[j])));
      }
      slot += static_cast<std::uint32_t>(simt::count_ones(chosen[j]));
    }
  }
  simt::sync_block();
  const auto at_boundary = static_cast<std::int32_t>(block.state->num_boundary);
  const std::int32_t count = num_candidates < block.k ? num_candidates : block.k;
  KEYSIEVE_NO_UNROLL
  for (std::int32_t i = simt::thread_index(); i < at_boundary; i += simt::block_threads()) {
    const Composite mine = block.boundary[i];
    const std::uint32_t larger = larger_at_boundary(block, at_boundary, mine);
    if (larger < boundary.wanted) {
      slots.put(count - static_cast<std::int32_t>(boundary.wanted - larger), block.ties.position(rank_of(mine)));
    }
  }
}

// Where a bitmap of the row may lie: in memory that nobody needs any more, or in the part of the buffer that holds no
// candidates; nullptr where there is too little.
KEYSIEVE_DEVICE Composite* room_for_bitmap(const Block& block, std::int32_t num_candidates, std::int64_t length) {
  const std::int64_t wanted = (PositionBitmap::bytes(length) + 7) / 8;
  if (block.unused_entries >= wanted) return block.unused;
  const std::int32_t used = num_candidates + num_candidates % 2;
  return block.capacity - used >= wanted ? block.candidates + used : nullptr;
}

// Chosen candidates to slots in the order of the row or of the scores.
template <typename Slots>
KEYSIEVE_DEVICE void emit_in_order(const Block& block, std::int32_t num_candidates, const Boundary& boundary,
                                   SlotOrder order, std::int64_t length, Slots& slots) {
  const std::int32_t count = num_candidates < block.k ? num_candidates : block.k;
  Placement placement = Placement::kSorted;
  Composite* memory = nullptr;
  if (order == SlotOrder::kIndex) {
    placement = Placement::kAscending;
    if (block.state->is_ascending == 0) {
      memory = room_for_bitmap(block, num_candidates, length);
      placement = memory != nullptr ? Placement::kBitmap : Placement::kSorted;
    }
  }
  PositionBitmap bitmap(memory, length);
  if (placement == Placement::kBitmap) bitmap.clear();
  Composite threshold = 0;
  if (num_candidates > block.k) {
    threshold = lowest_chosen(block, num_candidates, boundary);
  } else {
    simt::sync_block();
  }
  if (placement == Placement::kSorted && num_candidates > count) {
    keep_at_or_above(block, num_candidates, threshold);
    num_candidates = count;
  }
  std::uint32_t first_slot = 0;
  const WarpRun run(num_candidates);
  if (placement == Placement::kSorted) {
    sort_chosen(block, count, order);
    threshold = 0;
  } else if (placement == Placement::kBitmap) {
    KEYSIEVE_UNROLL_BY_4
    for (std::int32_t i = simt::thread_index(); i < num_candidates; i += simt::block_threads()) {
      const Composite candidate = block.candidates[i];
      if (candidate >= threshold) bitmap.set(block.ties.position(rank_of(candidate)));
    }
    bitmap.count(block.partials);
  } else {
    first_slot = first_slot_of_warp(block, run, threshold);
  }

  const int lane = simt::lane_index();
  KEYSIEVE_NO_UNROLL
  for (std::int32_t first = run.first; first < run.end; first += simt::kWarpLanes) {
    const std::int32_t i = first + lane;
    const Composite candidate = i < run.end ? block.candidates[i] : 0;
    const bool chosen = i < run.end && candidate >= threshold;
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
    if (chosen) slots.put(slot, position);
  }
}

template <typename Slots>
KEYSIEVE_DEVICE void emit(const Block& block, std::int32_t num_candidates, const Boundary& boundary, SlotOrder order,
                          std::int64_t length, Slots& slots) {
  if (order == SlotOrder::kAny) {
    emit_any(block, num_candidates, boundary, slots);
  } else {
    emit_in_order(block, num_candidates, boundary, order, length, slots);
  }
}

// All threads; every candidate is visible. They hold all columns that can belong to the answer.
template <typename Format>
KEYSIEVE_DEVICE void finish_row(const SelectKernelArgs& args, const Block& block, std::int64_t row,
                                const RowGeometry& geometry, std::int32_t num_candidates, const Boundary& boundary) {
  const std::int32_t count = num_candidates < block.k ? num_candidates : block.k;
  const SlotOrder order = args.problem.order;
  PlainSlots plain{plain_indices(args, row)};
  if (plain.indices != nullptr) {  // what most calls ask for, in half the instructions
    emit(block, num_candidates, boundary, order, geometry.length, plain);
    finish_plain(args, row, plain, count, geometry.error_bits);
    return;
  }
  RowOutput<Format> output(args, row, geometry);
  emit(block, num_candidates, boundary, order, geometry.length, output);
  output.finish(count);
}

}  // namespace keysieve

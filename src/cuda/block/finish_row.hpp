// From candidates to output slots: the exact k best, in the order that was asked for.
#pragma once

#include "cuda/block/block_sort.hpp"
#include "cuda/block/candidate_buffer.hpp"
#include "cuda/block/index_order.hpp"
#include "cuda/block/row_output.hpp"

namespace keysieve {

// Candidates at the boundary, put aside by all threads before a barrier: those that are chosen too, the `larger`-th
// largest of them first. All threads.
template <typename Take>
KEYSIEVE_DEVICE void take_from_boundary(const Block& block, const Boundary& boundary, const Take& take) {
  const auto count = static_cast<std::int32_t>(block.state->num_boundary);
  KEYSIEVE_NO_UNROLL
  for (std::int32_t i = simt::thread_index(); i < count; i += simt::block_threads()) {
    const Composite mine = block.boundary[i];
    const std::uint32_t larger = larger_at_boundary(block, count, mine);
    if (larger < boundary.wanted) take(larger, block.ties.position(rank_of(mine)));
  }
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
  const std::int32_t count = num_candidates < block.k ? num_candidates : block.k;
  take_from_boundary(block, boundary, [&](std::uint32_t larger, std::int64_t position) {
    slots.put(count - static_cast<std::int32_t>(boundary.wanted - larger), position);
  });
}

// Chosen candidates to slots in the order of the row, by a bitmap that is clear. Their positions are listed on chip
// first: stored where they are found, each store of a warp would go to 32 places of memory.
template <typename Slots>
KEYSIEVE_DEVICE void emit_ascending(const Block& block, std::int32_t num_candidates, const Boundary& boundary,
                                    PositionBitmap bitmap, Slots& slots) {
  KEYSIEVE_NO_UNROLL
  for (std::int32_t i = simt::thread_index(); i < num_candidates; i += simt::block_threads()) {
    const Composite candidate = block.candidates[i];
    if (candidate > boundary.range.last) {
      bitmap.set(block.ties.position(rank_of(candidate)));
    } else if (candidate >= boundary.range.floor) {
      put_at_boundary(block, candidate);
    }
  }
  simt::sync_block();
  take_from_boundary(block, boundary, [&](std::uint32_t, std::int64_t position) { bitmap.set(position); });
  // In place of the candidates, which nobody needs any more, and which take twice as much.
  auto* positions = reinterpret_cast<std::uint32_t*>(block.candidates);
  bitmap.list(block.partials, positions);
  simt::sync_block();
  const std::int32_t count = num_candidates < block.k ? num_candidates : block.k;
  KEYSIEVE_UNROLL_BY_4
  for (std::int32_t i = simt::thread_index(); i < count; i += simt::block_threads()) {
    slots.put(i, static_cast<std::int64_t>(positions[i]));
  }
}

// Chosen candidates to slots in the order `order`, by sorting them.
template <typename Slots>
KEYSIEVE_DEVICE void emit_sorted(const Block& block, std::int32_t num_candidates, const Boundary& boundary,
                                 SlotOrder order, Slots& slots) {
  std::int32_t count = num_candidates;
  if (num_candidates > block.k) {
    keep_at_or_above(block, num_candidates, lowest_chosen(block, num_candidates, boundary));
    count = block.k;
  }
  KEYSIEVE_NO_UNROLL
  for (std::int32_t i = simt::thread_index(); i < count; i += simt::block_threads()) {
    const Composite candidate = block.candidates[i];
    // Smaller positions first, among equal scores too, also where ties went to the larger ones.
    const auto rank = static_cast<std::uint32_t>(~block.ties.position(rank_of(candidate)));
    block.candidates[i] = make_composite(order == SlotOrder::kScore ? key_of(candidate) : 0, rank);
  }
  simt::sync_block();
  sort_descending(block.candidates, count);
  KEYSIEVE_NO_UNROLL
  for (std::int32_t i = simt::thread_index(); i < count; i += simt::block_threads()) {
    slots.put(i, static_cast<std::int64_t>(~rank_of(block.candidates[i])));
  }
}

// Where the bitmap of the row lies, where `order` wants one: in memory that nobody needs any more, or in the part of
// the buffer that holds no candidates; nullptr where there is too little, and the chosen ones are sorted instead.
KEYSIEVE_DEVICE Composite* bitmap_memory(const Block& block, SlotOrder order, std::int32_t num_candidates) {
  if (order != SlotOrder::kIndex) return nullptr;
  const std::int64_t wanted = PositionBitmap::entries(block.state->geometry.length);
  if (block.unused_entries >= wanted) return block.unused;
  const std::int32_t used = num_candidates + num_candidates % 2;
  return block.capacity - used >= wanted ? block.candidates + used : nullptr;
}

// All threads; a barrier must follow.
KEYSIEVE_DEVICE void clear_bitmap(const Block& block, SlotOrder order, std::int32_t num_candidates) {
  Composite* memory = bitmap_memory(block, order, num_candidates);
  if (memory != nullptr) PositionBitmap(memory, block.state->geometry.length).clear();
}

// All threads; every candidate is visible, and the bitmap clear. They hold all columns that can belong to the answer.
template <typename Slots>
KEYSIEVE_DEVICE void emit(const Block& block, std::int32_t num_candidates, const Boundary& boundary, SlotOrder order,
                          Slots& slots) {
  Composite* memory = bitmap_memory(block, order, num_candidates);
  if (order == SlotOrder::kAny) {
    emit_any(block, num_candidates, boundary, slots);
  } else if (memory != nullptr) {
    emit_ascending(block, num_candidates, boundary, PositionBitmap(memory, block.state->geometry.length), slots);
  } else {
    emit_sorted(block, num_candidates, boundary, order, slots);
  }
}

// All threads: the candidates, of which `histogram` says what the bins hold, become slots. No barrier is needed before.
// The row's geometry comes from shared memory when it is needed: kept in registers, it would take them from the loop
// over the row. `nan_seen`: by another block.
template <typename Format>
KEYSIEVE_DEVICE void finish_row(const SelectKernelArgs& args, const Block& block, std::int64_t row,
                                std::int32_t num_candidates, const Histogram& histogram, bool nan_seen) {
  clear_bitmap(block, args.problem.order, num_candidates);
  const Boundary boundary = find_boundary(block, num_candidates, block.k, histogram);
  const std::int32_t count = num_candidates < block.k ? num_candidates : block.k;
  nan_seen |= block.state->nan_seen != 0;
  PlainSlots plain{plain_indices(args, row)};
  if (plain.indices != nullptr) {  // what most calls ask for, in half the instructions
    emit(block, num_candidates, boundary, args.problem.order, plain);
    finish_plain(args, row, plain, count, block.state->geometry.error_bits | (nan_seen ? kErrorNanSeen : 0));
    return;
  }
  RowOutput<Format> output(args, row, block.state->geometry);
  if (nan_seen) output.report(kErrorNanSeen);
  emit(block, num_candidates, boundary, args.problem.order, output);
  output.finish(count);
}

}  // namespace keysieve

// From candidates to output slots: the exact k best, in the order that was asked for.
#pragma once

#include "cuda/block/block_sort.hpp"
#include "cuda/block/candidate_buffer.hpp"
#include "cuda/block/index_order.hpp"
#include "cuda/block/row_output.hpp"

namespace keysieve {

// put(i) for every candidate at or above `threshold`.
template <typename Visit>
KEYSIEVE_DEVICE void for_each_chosen(const Block& block, std::int32_t num_candidates, Composite threshold,
                                     const Visit& visit) {
  for (std::int32_t i = simt::thread_index(); i < num_candidates; i += simt::block_threads()) {
    const Composite candidate = block.candidates[i];
    if (candidate >= threshold) visit(block.ties.position(rank_of(candidate)));
  }
}

// Slots in no particular order: each warp asks for as many as it needs, once.
template <typename Format>
KEYSIEVE_DEVICE void emit_in_any_order(const Block& block, std::int32_t num_candidates, Composite threshold,
                                       RowOutput<Format>& output) {
  const int lane = simt::lane_index();
  std::uint32_t mine = 0;
  for (std::int32_t i = simt::thread_index(); i < num_candidates; i += simt::block_threads()) {
    mine += block.candidates[i] >= threshold ? 1u : 0u;
  }
  const std::uint32_t warp_total = simt::warp_sum(mine);
  std::uint32_t slot = 0;
  if (lane == 0) slot = simt::atomic_add(&block.state->num_slots, warp_total);
  slot = simt::shuffle(slot, 0);
  KEYSIEVE_NO_UNROLL
  for (std::int32_t first = simt::thread_index() - lane; first < num_candidates; first += simt::block_threads()) {
    const Composite candidate = first + lane < num_candidates ? block.candidates[first + lane] : 0;
    const bool chosen = first + lane < num_candidates && candidate >= threshold;
    const std::uint32_t ballot = simt::warp_ballot(chosen);
    const auto below = static_cast<std::uint32_t>(simt::count_ones(ballot & ((1u << lane) - 1)));
    if (chosen) output.put(static_cast<std::int32_t>(slot + below), block.ties.position(rank_of(candidate)));
    slot += static_cast<std::uint32_t>(simt::count_ones(ballot));
  }
}

// The chosen candidates are the first `count`; `sort_key(candidate)`: larger comes first.
template <typename Format, typename SortKey>
KEYSIEVE_DEVICE void emit_sorted(const Block& block, std::int32_t count, RowOutput<Format>& output,
                                 const SortKey& sort_key) {
  for (std::int32_t i = simt::thread_index(); i < count; i += simt::block_threads()) {
    block.candidates[i] = sort_key(block.candidates[i]);
  }
  simt::sync_block();
  sort_descending(block.candidates, count);
  for (std::int32_t i = simt::thread_index(); i < count; i += simt::block_threads()) {
    output.put(i, static_cast<std::int64_t>(~rank_of(block.candidates[i])));
  }
}

template <typename Format>
KEYSIEVE_DEVICE void emit_in_index_order(const Block& block, std::int32_t num_candidates, std::int32_t count,
                                         Composite threshold, std::int64_t length, RowOutput<Format>& output) {
  // The bitmap lives in the part of the buffer that holds no candidates; the losers make room if they must.
  const std::int64_t bytes = PositionBitmap::bytes(length);
  const auto fits_behind = [&](std::int32_t used) {
    return static_cast<std::int64_t>(block.capacity - (used + used % 2)) * 8 >= bytes;
  };
  if (!fits_behind(num_candidates) && num_candidates > count) {
    keep_at_or_above(block, num_candidates, threshold);
    num_candidates = count;
  }
  if (!fits_behind(num_candidates)) {
    emit_sorted(block, count, output, [&block](Composite candidate) {
      return static_cast<Composite>(static_cast<std::uint32_t>(~block.ties.position(rank_of(candidate))));
    });
    return;
  }
  PositionBitmap bitmap(block.candidates + num_candidates + num_candidates % 2, length);
  bitmap.clear();
  for_each_chosen(block, num_candidates, threshold, [&](std::int64_t position) { bitmap.set(position); });
  bitmap.count(block.partials);
  for_each_chosen(block, num_candidates, threshold,
                  [&](std::int64_t position) { output.put(bitmap.slot_of(position), position); });
}

// All threads; every candidate is visible, the key range known. The candidates hold all columns that can belong to the
// answer.
template <typename Format>
KEYSIEVE_DEVICE void finish_row(const Block& block, SlotOrder order, std::int64_t length, RowOutput<Format>& output) {
  auto num_candidates = static_cast<std::int32_t>(block.state->num_candidates);
  const std::int32_t count = num_candidates < block.k ? num_candidates : block.k;
  const Composite threshold = num_candidates > block.k ? block_select(block, num_candidates, block.k) : 0;
  if (order == SlotOrder::kAny) {
    emit_in_any_order(block, num_candidates, threshold, output);
  } else if (order == SlotOrder::kIndex) {
    emit_in_index_order(block, num_candidates, count, threshold, length, output);
  } else {
    if (num_candidates > count) keep_at_or_above(block, num_candidates, threshold);
    // Among equal scores the smaller position comes first, also where the larger ones are chosen.
    emit_sorted(block, count, output, [&block](Composite candidate) {
      return make_composite(key_of(candidate), static_cast<std::uint32_t>(~block.ties.position(rank_of(candidate))));
    });
  }
  if (block.state->nan_seen != 0 && simt::thread_index() == 0) output.report(kErrorNanSeen);
  output.finish(count);
}

}  // namespace keysieve

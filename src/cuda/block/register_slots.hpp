// From decided columns of a register row to output slots, in the order that was asked for.
#pragma once

#include "cuda/block/block_sort.hpp"
#include "cuda/block/register_select.hpp"
#include "cuda/block/row_output.hpp"

namespace keysieve {

// Every chosen column is given to `put(slot, position)`: in the order of the row, but for those at the boundary, which
// come last where `order` is not index. All threads, no barrier being needed before.
template <typename Row, typename Put>
KEYSIEVE_DEVICE void put_chosen(const Block& block, const Row& row, Decision decision, std::int32_t count,
                                SlotOrder order, const Put& put) {
  const bool boundary_last = order != SlotOrder::kIndex;
  if (!boundary_last && decision.wanted > 0) {
    // One word a thread for what it learns of its columns.
    simt::sync_block();
    rank_boundary(block, decision.wanted, [&](std::uint32_t, std::int64_t position) {
      const auto column = static_cast<std::int32_t>(position);
      simt::atomic_or(&block.bins[Row::thread_of(column)], Row::bit_of(column));
    });
    simt::sync_block();
    decision.chosen |= block.bins[simt::thread_index()];
    decision.wanted = 0;
  }
  const RowPlaces<Row> places(block.partials, decision.chosen);
  KEYSIEVE_UNROLL
  for (int v = 0; v < Row::kVectors; ++v) {
    ColumnMask columns = RowPlaces<Row>::columns_of(decision.chosen, v);
    auto slot = static_cast<std::int32_t>(places.first(v)) + simt::count_ones(columns);
    KEYSIEVE_NO_UNROLL
    while (columns != 0) {  // the highest bit first: it is found in one instruction, the lowest in two
      const int c = simt::highest_bit(columns);
      columns ^= 1u << c;
      put(--slot, row.first_column(v) + c);
    }
  }
  if (decision.wanted == 0) return;
  const std::int32_t first = count - static_cast<std::int32_t>(decision.wanted);
  rank_boundary(block, decision.wanted, [&](std::uint32_t larger, std::int64_t position) {
    put(first + static_cast<std::int32_t>(larger), static_cast<std::int32_t>(position));
  });
}

// Chosen columns sorted by score; equal ones by position, the smaller first, also where ties went to the larger. They
// become composites in the candidate buffer. All threads; ends with a barrier.
template <typename Row>
KEYSIEVE_DEVICE void sort_chosen(const Block& block, const Row& row, const Decision& decision, std::int32_t count,
                                 const typename Row::Bits* window) {
  put_chosen(block, row, decision, count, SlotOrder::kScore, [&](std::int32_t slot, std::int32_t position) {
    const Key key = ordered_key<typename Row::Format>(window[position], block.nan_key);
    block.candidates[slot] = make_composite(key, ~static_cast<std::uint32_t>(position));
  });
  simt::sync_block();
  sort_descending(block.candidates, count);
}

// All threads: the `count` chosen columns become slots, and the row's counts and error bits are written.
template <typename Row>
KEYSIEVE_DEVICE void write_chosen(const SelectKernelArgs& args, const Block& block, std::int64_t row_index,
                                  const Row& row, const Decision& decision, std::int32_t count) {
  using Format = typename Row::Format;
  const SlotOrder order = args.problem.order;
  PlainSlots plain{plain_indices(args, row_index)};
  if (plain.indices != nullptr && order != SlotOrder::kScore) {  // what most calls ask for
    put_chosen(block, row, decision, count, order,
               [&](std::int32_t slot, std::int32_t position) { plain.put(slot, position); });
    const std::uint32_t nan_bit = block.state->nan_seen != 0 ? kErrorNanSeen : 0;
    finish_plain(args, row_index, plain, count, block.state->geometry.error_bits | nan_bit);
    return;
  }
  RowOutput<Format> output(args, row_index, block.state->geometry);
  if (order == SlotOrder::kScore) {
    sort_chosen(block, row, decision, count, window_of<Format>(args, row_index, block.state->geometry));
    KEYSIEVE_NO_UNROLL
    for (std::int32_t i = simt::thread_index(); i < count; i += simt::block_threads()) {
      output.put(i, static_cast<std::int64_t>(~rank_of(block.candidates[i])));
    }
  } else {
    // Listed on chip first: a slot that is more than a position takes long, and all lanes should have one to make.
    auto* positions = reinterpret_cast<std::uint32_t*>(block.candidates);
    put_chosen(block, row, decision, count, order, [&](std::int32_t slot, std::int32_t position) {
      positions[slot] = static_cast<std::uint32_t>(position);
    });
    simt::sync_block();
    KEYSIEVE_UNROLL_BY_4
    for (std::int32_t i = simt::thread_index(); i < count; i += simt::block_threads()) {
      output.put(i, static_cast<std::int64_t>(positions[i]));
    }
  }
  if (block.state->nan_seen != 0) output.report(kErrorNanSeen);
  output.finish(count);
}

}  // namespace keysieve

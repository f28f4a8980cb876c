// From decided columns of a register row to output slots, in the order that was asked for.
#pragma once

#include "cuda/block/block_sort.hpp"
#include "cuda/block/cluster_team.hpp"
#include "cuda/block/register_select.hpp"
#include "cuda/block/row_output.hpp"

namespace keysieve {

// The slots of a block's chosen columns where they are in order: [first, end) of the row's.
struct SlotRange {
  std::int32_t first;
  std::int32_t end;
};

// Chosen columns to `put(slot, position)` in the order of the row, from slot `first` on; their number. One barrier.
template <typename Row, typename Put>
KEYSIEVE_DEVICE std::int32_t put_in_order(const Block& block, const Row& row, ColumnMask chosen, std::int32_t first,
                                          const Put& put) {
  const RowPlaces<Row> places(block.partials, chosen);
  KEYSIEVE_UNROLL
  for (int v = 0; v < Row::kVectors; ++v) {
    ColumnMask columns = RowPlaces<Row>::columns_of(chosen, v);
    auto slot = first + static_cast<std::int32_t>(places.first(v)) + simt::count_ones(columns);
    KEYSIEVE_NO_UNROLL
    while (columns != 0) {  // the highest bit first: it is found in one instruction, the lowest in two
      const int c = simt::highest_bit(columns);
      columns ^= 1u << c;
      put(--slot, row.first_column(v) + c);
    }
  }
  return static_cast<std::int32_t>(places.total());
}

// The same thread by thread, `slot` being behind this thread's last: one count a thread instead of one a vector, and
// one loop. Where many are chosen it takes longer all the same, as the stores of a warp go to more places.
template <typename Row, typename Put>
KEYSIEVE_DEVICE void put_by_thread(const Row& row, ColumnMask chosen, std::uint32_t slot, const Put& put) {
  KEYSIEVE_NO_UNROLL
  while (chosen != 0) {
    const int i = simt::highest_bit(chosen);
    chosen ^= 1u << i;
    put(static_cast<std::int32_t>(--slot), row.position(i));
  }
}

// Those of the boundary's `wanted` best that lie in front of this block, or in it: `in_front()` or `take(larger,
// position)` in one thread. Behind a barrier.
template <typename Row, typename InFront, typename Take>
KEYSIEVE_DEVICE void take_own_boundary(const Block& block, std::uint32_t wanted, int rank, const InFront& in_front,
                                       const Take& take) {
  rank_boundary(block, wanted, [&](std::uint32_t larger, std::int64_t position) {
    const auto column = static_cast<std::int32_t>(position);
    const std::int32_t thread = Row::thread_of(column) - rank * simt::block_threads();
    if (thread < 0) {
      in_front();
    } else if (thread < simt::block_threads()) {
      take(larger, column, thread);
    }
  });
}

// How chosen columns get their slots: in the order of the row, or, where nobody cares and it takes less time, those
// that needed no ranking thread by thread and the others last.
enum class Placing : std::int32_t { kInOrder, kByThread };

KEYSIEVE_DEVICE Placing placing_for(SlotOrder order, std::int32_t count, std::int32_t num_live) {
  constexpr std::int32_t kDense = 5;  // one column of so many is chosen
  return order == SlotOrder::kIndex || kDense * count >= num_live ? Placing::kInOrder : Placing::kByThread;
}

// Every chosen column is given to `put(slot, position)`. All threads, no barrier being needed before.
template <typename Row, typename Put>
KEYSIEVE_DEVICE SlotRange put_chosen(const Block& block, const OneBlock&, const Row& row, Decision decision,
                                     std::int32_t count, Placing placing, const Put& put) {
  if (placing == Placing::kByThread) {
    const auto mine = static_cast<std::uint32_t>(simt::count_ones(decision.chosen));
    const std::uint32_t before = block_exclusive_sum(block.partials, mine).before;
    put_by_thread(row, decision.chosen, before + mine, put);
    if (decision.wanted > 0) {
      rank_boundary(block, decision.wanted, [&](std::uint32_t larger, std::int64_t position) {
        put(count - static_cast<std::int32_t>(decision.wanted - larger), static_cast<std::int32_t>(position));
      });
    }
    return {0, count};
  }
  if (decision.wanted > 0) {
    simt::sync_block();
    rank_boundary(block, decision.wanted, [&](std::uint32_t, std::int64_t position) {
      const auto column = static_cast<std::int32_t>(position);
      simt::atomic_or(&block.bins[Row::thread_of(column)], Row::bit_of(column));
    });
    simt::sync_block();
    decision.chosen |= block.bins[simt::thread_index()];
  }
  put_in_order(block, row, decision.chosen, 0, put);
  return {0, count};
}

// The same in a cluster: where a block's slots begin is a matter of the blocks in front.
template <typename Row, typename Put>
KEYSIEVE_DEVICE SlotRange put_chosen(const Block& block, const ClusterTeam& team, const Row& row, Decision decision,
                                     std::int32_t count, Placing placing, const Put& put) {
  ClusterMemory& memory = team.memory();
  const auto mine = static_cast<std::uint32_t>(simt::count_ones(decision.chosen));
  const BlockSum in_block = block_exclusive_sum(block.partials, mine);
  team.send_sum(1, in_block.total);
  if (decision.wanted > 0) team.send_boundary();
  team.sync();
  const std::uint32_t before = team.sum_in_front(memory.sums[1]).before;
  if (decision.wanted > 0) {
    team.receive_boundary();
    simt::sync_block();
  }
  auto first = static_cast<std::int32_t>(before);
  if (placing == Placing::kByThread) {
    put_by_thread(row, decision.chosen, before + in_block.before + mine, put);
    if (decision.wanted > 0) {
      take_own_boundary<Row>(
          block, decision.wanted, team.rank(), [] {},
          [&](std::uint32_t larger, std::int32_t column, std::int32_t) {
            put(count - static_cast<std::int32_t>(decision.wanted - larger), column);
          });
    }
    return {first, first + static_cast<std::int32_t>(in_block.total)};
  }
  if (decision.wanted > 0) {
    take_own_boundary<Row>(
        block, decision.wanted, team.rank(), [&] { simt::atomic_add(&memory.chosen_in_front, 1); },
        [&](std::uint32_t, std::int32_t column, std::int32_t thread) {
          simt::atomic_or(&block.bins[thread], Row::bit_of(column));
        });
    simt::sync_block();
    decision.chosen |= block.bins[simt::thread_index()];
    first += static_cast<std::int32_t>(memory.chosen_in_front);
  }
  return {first, first + put_in_order(block, row, decision.chosen, first, put)};
}

// Chosen columns become composites in the candidate buffer of the team's first block, sorted by score; equal ones by
// position, the smaller first, also where ties went to the larger. True in that block. All threads; ends with a
// barrier.
template <typename Team, typename Row>
KEYSIEVE_DEVICE bool sort_chosen(const Block& block, const Team& team, const Row& row, const Decision& decision,
                                 std::int32_t count, const typename Row::Bits* window) {
  put_chosen(block, team, row, decision, count, Placing::kByThread, [&](std::int32_t slot, std::int32_t position) {
    const Key key = ordered_key<typename Row::Format>(window[position], block.nan_key);
    team.store_in_first(block.candidates, slot, make_composite(key, ~static_cast<std::uint32_t>(position)));
  });
  team.sync();
  if (team.rank() != 0) return false;
  sort_descending(block.candidates, count);
  return true;
}

// All threads: the chosen columns of a row, of which `num_live` could be, become slots, and its count and error bits
// are written.
template <typename Team, typename Row>
KEYSIEVE_DEVICE void write_chosen(const SelectKernelArgs& args, const Block& block, const Team& team,
                                  std::int64_t row_index, const Row& row, const Decision& decision,
                                  std::int32_t num_live) {
  using Format = typename Row::Format;
  const SlotOrder order = args.problem.order;
  const std::int32_t count = num_live < block.k ? num_live : block.k;
  PlainSlots plain{plain_indices(args, row_index)};
  if (plain.indices != nullptr && order != SlotOrder::kScore) {  // what most calls ask for
    put_chosen(block, team, row, decision, count, placing_for(order, count, num_live),
               [&](std::int32_t slot, std::int32_t position) { plain.put(slot, position); });
    const std::uint32_t nan_bit = block.state->nan_seen != 0 ? kErrorNanSeen : 0;
    if (team.rank() == 0) {
      finish_plain(args, row_index, plain, count, block.state->geometry.error_bits | nan_bit);
    } else if (nan_bit != 0 && simt::thread_index() == 0 && args.args.error_word != nullptr) {
      simt::atomic_or(args.args.error_word, nan_bit);
    }
    return;
  }
  RowOutput<Format> output(args, row_index, block.state->geometry);
  if (order == SlotOrder::kScore) {
    const auto* window = window_of<Format>(args, row_index, block.state->geometry);
    if (sort_chosen(block, team, row, decision, count, window)) {
      KEYSIEVE_NO_UNROLL
      for (std::int32_t i = simt::thread_index(); i < count; i += simt::block_threads()) {
        output.put(i, static_cast<std::int64_t>(~rank_of(block.candidates[i])));
      }
    }
  } else {
    // Listed on chip first: a slot that is more than a position takes long, and all lanes should have one to make.
    auto* positions = reinterpret_cast<std::uint32_t*>(block.candidates);
    const SlotRange slots = put_chosen(
        block, team, row, decision, count, Placing::kInOrder,
        [&](std::int32_t slot, std::int32_t position) { positions[slot] = static_cast<std::uint32_t>(position); });
    simt::sync_block();
    KEYSIEVE_UNROLL_BY_4
    for (std::int32_t i = slots.first + simt::thread_index(); i < slots.end; i += simt::block_threads()) {
      output.put(i, static_cast<std::int64_t>(positions[i]));
    }
  }
  if (block.state->nan_seen != 0) output.report(kErrorNanSeen);
  if (team.rank() == 0) output.fill_up(count);
  output.report_errors();
}

}  // namespace keysieve

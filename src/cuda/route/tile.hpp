// Route tile: the row lies in the registers of one block and is selected there. See docs/algorithms/tile.md.
#pragma once

#include "cuda/block/register_slots.hpp"
#include "cuda/route/row_task.hpp"

namespace keysieve {

// Columns that may be chosen, of those that live; the others die. Their number. All threads.
template <typename Row>
KEYSIEVE_DEVICE std::int32_t drop_below_floor(const Block& block, Row& row, ColumnMask& live) {
  live &= row.columns_where([&](auto bits) {
    return ordered_key<typename Row::Format>(bits, block.nan_key) >= block.floor.key;
  });
  row.keep(live);
  return static_cast<std::int32_t>(
      block_exclusive_sum(block.early_partials(3), static_cast<std::uint32_t>(simt::count_ones(live))).total);
}

// kThreadColumns: 16 or 32 columns a thread, and as many threads as the widest row needs.
template <typename Format, int kThreadColumns>
KEYSIEVE_DEVICE void select_tile(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const std::int64_t row_index = simt::block_index();
  RegisterRow<Format, kThreadColumns> row;
  // Where dead columns take little time, the whole width is loaded before the row's length has come from memory.
  if (args.loads_ahead != 0) {
    row.load(window_of<Format>(args, row_index, RowGeometry{}), static_cast<std::int32_t>(args.problem.width));
  }
  answer_row<Format>(args, row_index, [&](const Block& block, const RowGeometry& geometry) {
    auto num_live = static_cast<std::int32_t>(geometry.length);
    if (args.loads_ahead == 0) row.load(window_of<Format>(args, row_index, geometry), num_live);
    ColumnMask live = row.cut(num_live);
    if (block.check_nan) {
      const ColumnMask nans = live & row.columns_where([](auto bits) { return is_nan<Format>(bits); });
      if (nans != 0) block.state->nan_seen = 1;  // every writer writes the same; read behind later barriers
    }
    if (block.floor.key != 0) num_live = drop_below_floor(block, row, live);
    Decision decision{live, 0};
    if (num_live > block.k) decision = decide(block, row, live, num_live);
    const std::int32_t count = num_live < block.k ? num_live : block.k;
    write_chosen(args, block, row_index, row, decision, count);
    if (simt::thread_index() == 0) write_counters(args, row_index, 0, 0);
  });
}

}  // namespace keysieve

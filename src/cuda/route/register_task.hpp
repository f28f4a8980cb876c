// A row in the registers of a team, from the first look to its slots: route tile, and short rows of route split.
#pragma once

#include "cuda/block/register_slots.hpp"
#include "cuda/route/row_task.hpp"

namespace keysieve {

// Columns that may be chosen, of those that live; the others die. Their number in the team. All threads.
template <typename Team, typename Row>
KEYSIEVE_DEVICE std::int32_t drop_below_floor(const Block& block, const Team& team, Row& row, ColumnMask& live) {
  live &= row.columns_where(
      [&](auto bits) { return ordered_key<typename Row::Format>(bits, block.nan_key) >= block.floor.key; });
  row.keep(live);
  const auto mine = static_cast<std::uint32_t>(simt::count_ones(live));
  return static_cast<std::int32_t>(team.sum(3, block_exclusive_sum(block.early_partials(3), mine).total).total);
}

// All threads: which columns live and may be chosen, and how many there are in all. Reports NaN.
template <typename Team, typename Row>
KEYSIEVE_DEVICE ColumnMask live_columns(const Block& block, const Team& team, Row& row, std::int32_t length,
                                        std::int32_t& num_live) {
  ColumnMask live = row.live_columns(length);
  num_live = length;
  if (block.check_nan) {
    simt::sync_block();  // the state has been reset
    const ColumnMask nans = live & row.columns_where([](auto bits) { return is_nan<typename Row::Format>(bits); });
    if (nans != 0) block.state->nan_seen = 1;  // every writer writes the same
  }
  if (block.floor.key != 0) num_live = drop_below_floor(block, team, row, live);
  return live;
}

// All threads of a team, with the row in their registers and everything reset but for a barrier.
template <typename Team, typename Row>
KEYSIEVE_DEVICE void select_in_registers(const SelectKernelArgs& args, const Block& block, const Team& team, Row& row,
                                         std::int64_t row_index, std::int32_t length) {
  std::int32_t num_live;
  const ColumnMask live = live_columns(block, team, row, length, num_live);
  Decision decision{live, 0};
  if (num_live > block.k) {
    decision = decide(block, team, row, live, num_live);
  } else {
    simt::sync_block();
  }
  write_chosen(args, block, team, row_index, row, decision, num_live);
  if (team.rank() == 0 && simt::thread_index() == 0) write_counters(args, row_index, 0, 0);
}

// Whether the registers of one block hold a row, 16 columns a thread.
KEYSIEVE_DEVICE bool is_short(const RowGeometry& geometry) {
  return geometry.length <= static_cast<std::int64_t>(kTileThreadColumns) * simt::block_threads();
}

// All threads of a block, behind begin_row: a short row, however wide its buffer is.
template <typename Format>
KEYSIEVE_DEVICE void answer_short_row(const SelectKernelArgs& args, const Block& block, std::int64_t row_index,
                                      const RowGeometry& geometry) {
  const auto length = static_cast<std::int32_t>(geometry.length);
  RegisterRow<Format, kTileThreadColumns> row(simt::thread_index());
  row.load(window_of<Format>(args, row_index, geometry), length);
  select_in_registers(args, block, OneBlock(block), row, row_index, length);
}

}  // namespace keysieve

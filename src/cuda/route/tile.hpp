// Route tile: the row lies in the registers of one block, or of the blocks of a cluster, and is selected there. See
// docs/algorithms/tile.md.
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
  ColumnMask live = row.cut(length);
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

// Where dead columns take little time, the whole width is loaded before the row's length has come from memory, and
// every warp works out the geometry for itself: the first alone would let the others wait at a barrier. False: not so.
template <typename Format, typename Row>
KEYSIEVE_DEVICE bool load_ahead(const SelectKernelArgs& args, Row& row, std::int64_t row_index, RowRecord& record) {
  if (args.loads_ahead == 0) return false;
  record = read_row_record(args.problem, args.args, row_index);
  row.load(window_of<Format>(args, row_index, RowGeometry{}), static_cast<std::int32_t>(args.problem.width));
  return true;
}

// kThreadColumns: 16 or 32 columns a thread, and as many threads as the widest row needs.
template <typename Format, int kThreadColumns>
KEYSIEVE_DEVICE void select_tile(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const std::int64_t row_index = simt::block_index();
  RegisterRow<Format, kThreadColumns> row(OneBlock::team_thread());
  RowRecord record{};
  const bool loaded = load_ahead<Format>(args, row, row_index, record);
  const Block block(args);
  RowGeometry geometry;
  bool trivial = false;
  if (loaded) {
    block.reset_state();
    block.clear_bins();
    geometry = row_geometry(args.problem, args.args, record);
    if (simt::thread_index() == 0) block.state->geometry = geometry;
    trivial = is_trivial(args.problem, geometry);
  } else {
    begin_row(args, block, row_index);
    geometry = block.state->geometry;
    trivial = block.state->needs_scores == 0;
  }
  if (trivial) {
    finish_trivial<Format>(args, row_index, geometry);
    return;
  }
  const auto length = static_cast<std::int32_t>(geometry.length);
  if (!loaded) row.load(window_of<Format>(args, row_index, geometry), length);
  select_in_registers(args, block, OneBlock(block), row, row_index, length);
}

// The same by the blocks of a cluster, each with a part of the row.
template <typename Format, int kThreadColumns>
KEYSIEVE_DEVICE void select_tile_cluster(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const std::int64_t row_index = simt::block_index() / simt::cluster_blocks();
  const Block block(args);
  const ClusterTeam team(block);
  RegisterRow<Format, kThreadColumns> row(team.team_thread());
  RowRecord record{};
  const bool loaded = load_ahead<Format>(args, row, row_index, record);
  if (!loaded) record = read_row_record(args.problem, args.args, row_index);
  block.reset_state();
  block.clear_bins();
  team.clear();
  const RowGeometry geometry = row_geometry(args.problem, args.args, record);
  if (simt::thread_index() == 0) block.state->geometry = geometry;
  if (is_trivial(args.problem, geometry)) {  // for all blocks of the cluster alike, so none waits for another
    if (team.rank() == 0) finish_trivial<Format>(args, row_index, geometry);
    return;
  }
  simt::arrive_at_cluster();  // others write into this block's memory once they have heard that it is ready
  const auto length = static_cast<std::int32_t>(geometry.length);
  if (!loaded) row.load(window_of<Format>(args, row_index, geometry), length);
  simt::wait_for_cluster();
  select_in_registers(args, block, team, row, row_index, length);
}

}  // namespace keysieve

// Route tile: the row lies in the registers of one block, or of the blocks of a cluster, and is selected there. See
// docs/algorithms/tile.md.
#pragma once

#include "cuda/route/register_task.hpp"

namespace keysieve {

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
  RegisterRow<Format, kThreadColumns> row(simt::thread_index());
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
  const int rank = simt::cluster_rank();
  RegisterRow<Format, kThreadColumns> row(rank * simt::block_threads() + simt::thread_index());
  RowRecord record{};
  const bool loaded = load_ahead<Format>(args, row, row_index, record);
  if (!loaded) record = read_row_record(args.problem, args.args, row_index);
  block.reset_state();
  block.clear_bins();
  const RowGeometry geometry = row_geometry(args.problem, args.args, record);
  if (simt::thread_index() == 0) block.state->geometry = geometry;
  // What needs no other block is decided by all of the cluster alike, so none waits for another.
  const bool is_one_blocks = is_short(geometry);
  if (rank != 0 && is_one_blocks) return;
  if (is_trivial(args.problem, geometry)) {
    if (rank == 0) finish_trivial<Format>(args, row_index, geometry);
    return;
  }
  const ClusterTeam team(block, is_one_blocks ? 1 : simt::cluster_blocks());
  team.clear();
  if (!is_one_blocks) simt::arrive_at_cluster();  // others write here once they have heard that this block is ready
  const auto length = static_cast<std::int32_t>(geometry.length);
  if (!loaded) row.load(window_of<Format>(args, row_index, geometry), length);
  if (!is_one_blocks) simt::wait_for_cluster();
  select_in_registers(args, block, team, row, row_index, length);
}

}  // namespace keysieve

// Route tile: the row lies in the registers of one block, or of the blocks of a cluster, and is selected there. See
// docs/algorithms/tile.md.
#pragma once

#include "cuda/route/register_task.hpp"

namespace keysieve {

// All threads: everything reset, the row's geometry; visible to the others behind the next barrier.
KEYSIEVE_DEVICE RowGeometry begin_in_every_warp(const SelectKernelArgs& args, const Block& block,
                                                std::int64_t row_index) {
  const RowRecord record = read_row_record(args.problem, args.args, row_index);  // on its way while the rest is reset
  block.reset_state();
  block.clear_bins();
  const RowGeometry geometry = row_geometry(args.problem, args.args, record);
  if (simt::thread_index() == 0) block.state->geometry = geometry;
  return geometry;
}

// kThreadColumns: 16 or 32 columns a thread, and as many threads as the widest row needs.
template <typename Format, int kThreadColumns>
KEYSIEVE_DEVICE void select_tile(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const std::int64_t row_index = simt::block_index();
  const Block block(args);
  RowGeometry geometry;
  if (args.geometry_by_all != 0) {
    geometry = begin_in_every_warp(args, block, row_index);
  } else {
    begin_row(args, block, row_index);
    geometry = block.state->geometry;
  }
  if (is_trivial(args.problem, geometry)) {
    finish_trivial<Format>(args, row_index, geometry);
    return;
  }
  const auto length = static_cast<std::int32_t>(geometry.length);
  RegisterRow<Format, kThreadColumns> row(simt::thread_index());
  row.load(window_of<Format>(args, row_index, geometry), length);
  select_in_registers(args, block, OneBlock(block), row, row_index, length);
}

// The same by the blocks of a cluster, each with a part of the row.
template <typename Format, int kThreadColumns>
KEYSIEVE_DEVICE void select_tile_cluster(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const std::int64_t row_index = simt::block_index() / simt::cluster_blocks();
  const Block block(args);
  const int rank = simt::cluster_rank();
  const RowGeometry geometry = begin_in_every_warp(args, block, row_index);
  // What needs no other block is decided by all of the cluster alike, so none waits for another.
  const bool is_one_blocks = is_short(geometry);
  if (rank != 0 && is_one_blocks) return;
  if (is_trivial(args.problem, geometry)) {
    if (rank == 0) finish_trivial<Format>(args, row_index, geometry);
    return;
  }
  const auto length = static_cast<std::int32_t>(geometry.length);
  RegisterRow<Format, kThreadColumns> row(rank * simt::block_threads() + simt::thread_index());
  row.load(window_of<Format>(args, row_index, geometry), length);
  const ClusterTeam team(block, is_one_blocks ? 1 : simt::cluster_blocks());
  team.clear();
  // Others write here once they have heard that this block is ready.
  if (!is_one_blocks) simt::sync_cluster();
  select_in_registers(args, block, team, row, row_index, length);
}

}  // namespace keysieve

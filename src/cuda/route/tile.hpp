// Route tile: the row is copied to shared memory and selected there, so that no column is loaded twice, whatever the
// row looks like. See docs/algorithms/tile.md.
#pragma once

#include "cuda/block/tile_pass.hpp"
#include "cuda/route/sieve.hpp"

namespace keysieve {

// The usual cases: every column is a candidate, or one pass lists those that the cutoff takes. Their number; -1 where
// neither will do or the buffer is too small, and the row is untouched then. A barrier must follow.
template <typename Format>
KEYSIEVE_DEVICE std::int32_t collect_at_once(const Block& block, const TileRow<Format>& row, const Cutoff& first,
                                             bool takes_all) {
  const std::int32_t length = row.vectors().length();
  std::int32_t total = length;
  if (!takes_all) {
    if (!is_plain<Format>(block, first)) return -1;
    total = list_taken<Format>(block, row, first);
    if (cutoff_was_too_high(block, length, static_cast<std::uint32_t>(total), first)) return -1;
  }
  if (total > block.capacity) return -1;
  if (simt::thread_index() == 0) {
    block.state->num_candidates = static_cast<std::uint32_t>(total);
    block.state->is_ascending = 1;
  }
  return total;
}

template <typename Format>
KEYSIEVE_DEVICE void select_tile(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const std::int64_t row_index = simt::block_index();
  answer_row<Format>(args, row_index, [&](const Block& block, const RowGeometry& geometry) {
    const RowVectors<Format> vectors = vectors_of<Format>(args, row_index, geometry);
    start_copy<Format>(block, vectors);
    simt::sync_block();
    finish_copy(block);
    const TileRow<Format> row(vectors, block.tile);
    const Cutoff first = first_cutoff<Format>(args, block, row_index, row);
    const bool takes_all = first.key == 0 && first.chunk_rank == 0;
    const std::int32_t total = collect_at_once<Format>(block, row, first, takes_all);
    if (total < 0) {
      Stream<Format, TileRow<Format>> stream(block, row, whole_row());
      set_cutoff(block, first);
      select_in_one_block<Format>(args, block, row_index, row, stream);
      return;
    }
    simt::sync_block();
    // A hint tells nothing of the range.
    const bool knows_range = total > block.k && !takes_all && block.state->highest_key != 0;
    const Search search = search_keys(knows_range, first.key, block.state->highest_key);
    if (takes_all) {
      key_all<Format>(block, row, total);
    } else {
      key_listed<Format>(block, row, total, search, knows_range);
    }
    const Composite threshold = select_within(block, total, block.k, search, knows_range);
    write_row<Format>(args, block, row_index, threshold, {0, 0, 0});
  });
}

}  // namespace keysieve

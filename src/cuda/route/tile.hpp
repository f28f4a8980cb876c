// Route tile: the row is copied to shared memory and selected there, in one pass, where the first cutoff leaves what
// fits; else it is read again as route sieve does. See docs/algorithms/tile.md.
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
  if (simt::thread_index() == 0) block.state->num_candidates = static_cast<std::uint32_t>(total);
  return total;
}

// The copy of a row starts as soon as it can.
template <typename Format>
struct TilePreparation {
  const SelectKernelArgs& args;
  std::int64_t row_index;

  // Where nothing is known of the row but that it begins at the first column.
  KEYSIEVE_DEVICE RowVectors<Format> whole_width() const {
    RowGeometry geometry;
    geometry.length = args.problem.width;
    return vectors_of<Format>(args, row_index, geometry);
  }
  KEYSIEVE_DEVICE void before(const Block& block) const {
    if (args.copies_ahead != 0) start_copy<Format>(block, whole_width());
  }
  KEYSIEVE_DEVICE void after(const Block& block, const RowGeometry& geometry) const {
    const RowVectors<Format> row = vectors_of<Format>(args, row_index, geometry);
    if (args.copies_ahead != 0) {
      copy_ends<Format>(block, row, whole_width());
    } else {
      start_copy<Format>(block, row);
      copy_ends<Format>(block, row, row);
    }
  }
  // Nothing may arrive in the memory of a block that has gone.
  KEYSIEVE_DEVICE void abandon(const Block& block) const {
    if (args.copies_ahead != 0) finish_copy<Format>(block, whole_width());
  }
};

// What the tile is no good for: through the candidate buffer, which goes on into the tile's memory then
// (candidate_limit). The row is made anew: kept, it would take registers from the usual case.
template <typename Format>
KEYSIEVE_DEVICE Found find_without_tile(const SelectKernelArgs& args, const Block& block, std::int64_t row_index,
                                        const Cutoff& first) {
  set_cutoff(block, first);
  const GlobalRow<Format> row(vectors_of<Format>(args, row_index, block.state->geometry));
  Stream<Format, GlobalRow<Format>, false, 1> stream(block, row, whole_row());  // two slots would cost a spill
  return find_in_row(args, block, row_index, stream);
}

template <typename Format>
KEYSIEVE_DEVICE void select_tile(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const std::int64_t row_index = simt::block_index();
  const TilePreparation<Format> preparation{args, row_index};
  answer_row<Format>(args, row_index, preparation, [&](const Block& block, const RowGeometry& geometry) {
    const RowVectors<Format> vectors = vectors_of<Format>(args, row_index, geometry);
    finish_copy<Format>(block, args.copies_ahead != 0 ? preparation.whole_width() : vectors);
    const TileRow<Format> row(vectors, block.tile);
    const Cutoff first = first_cutoff<Format>(args, block, row_index, row);
    const bool takes_all = first.key == 0 && first.chunk_rank == 0;
    const std::int32_t total = collect_at_once<Format>(block, row, first, takes_all);
    Found found{total, nothing_counted(), {0, 0}};
    if (total < 0) {
      found = find_without_tile<Format>(args, block, row_index, first);
    } else {
      simt::sync_block();
      // A hint tells nothing of the range.
      const bool knows_range = total > block.k && !takes_all && block.state->highest_key != 0;
      found.histogram = {search_keys(first.key, block.state->highest_key), knows_range};
      if (takes_all) {
        key_all<Format>(block, row, total);
      } else {
        key_listed<Format>(block, row, total, found.histogram.search, knows_range);
      }
    }
    write_row<Format>(args, block, row_index, found);
  });
}

}  // namespace keysieve

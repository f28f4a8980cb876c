// Route tile: the row is copied to shared memory and selected there, so that no column is loaded twice, whatever the
// row looks like. See docs/algorithms/tile.md.
#pragma once

#include "cuda/route/sieve.hpp"

namespace keysieve {

// Copies a row to shared memory, several loads in flight per thread. Ends with a barrier.
template <typename Format>
KEYSIEVE_DEVICE void copy_to_tile(const RowVectors<Format>& row, simt::Vector* tile) {
  constexpr int kInFlight = 4;
  const std::int32_t step = simt::block_threads();
  KEYSIEVE_NO_UNROLL
  for (std::int32_t first = 0; first < row.num_vectors(); first += kInFlight * step) {
    const std::int32_t mine = first + simt::thread_index();
    if (row.is_interior(first, first + kInFlight * step)) {
      simt::Vector vectors[kInFlight];
      KEYSIEVE_UNROLL
      for (int i = 0; i < kInFlight; ++i) vectors[i] = row.load_interior(mine + i * step);
      KEYSIEVE_UNROLL
      for (int i = 0; i < kInFlight; ++i) tile[mine + i * step] = vectors[i];
    } else {
      KEYSIEVE_UNROLL
      for (int i = 0; i < kInFlight; ++i) {
        if (mine + i * step < row.num_vectors()) tile[mine + i * step] = row.load(mine + i * step);
      }
    }
  }
  simt::sync_block();
}

template <typename Format>
KEYSIEVE_DEVICE void select_tile(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const std::int64_t row = simt::block_index();
  answer_row<Format>(args, row, [&](const Block& block, const RowGeometry& geometry) {
    const RowVectors<Format> vectors = vectors_of<Format>(args, row, geometry);
    copy_to_tile<Format>(vectors, block.tile);
    select_in_one_block<Format>(args, block, row, TileRow<Format>(vectors, block.tile));
  });
}

}  // namespace keysieve

// A source layer's row: the selection of routes sieve and split, and from the same read the keys of the row's blocks.
// See docs/algorithms/publish.md.
#pragma once

#include "cuda/block/block_keys.hpp"
#include "cuda/route/sieve.hpp"
#include "cuda/route/split.hpp"

namespace keysieve {

// What one CTA of a row's has to do for the keys.
template <typename Format>
class PublishedRow {
 public:
  using Watch = BlockWatch<Format>;

  KEYSIEVE_DEVICE PublishedRow(const SelectKernelArgs& args, std::int64_t row, const RowGeometry& geometry, int rank,
                               int ranks)
      : blocks_(args.block_keys, row, geometry.length),
        window_(window_of<Format>(args, row, geometry)),
        rank_(rank),
        ranks_(ranks) {
    if (rank == 0 && simt::thread_index() == 0) blocks_.write_count(args.block_keys, row);
  }

  // The row is answered without a stream.
  KEYSIEVE_DEVICE void without_stream() const {
    if (blocks_.keys != nullptr) write_keys_apart<Format>(blocks_, window_, rank_, ranks_);
  }

  // For the stream. `lead`: columns between a vector's boundary and the first column; where there are any, no vector
  // begins where a block does, and the keys are made here.
  KEYSIEVE_DEVICE Watch watch(std::int32_t lead) const {
    if (blocks_.keys == nullptr || lead == 0) return Watch(blocks_.keys, blocks_.num_blocks);
    write_keys_apart<Format>(blocks_, window_, rank_, ranks_);
    return Watch(nullptr, 0);
  }

 private:
  RowBlocks blocks_;
  const typename Format::Bits* window_;
  int rank_, ranks_;
};

template <typename Format>
KEYSIEVE_DEVICE void publish_sieve(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const std::int64_t row_index = simt::block_index();
  const Block block(args);
  begin_row(args, block, row_index);
  const RowGeometry geometry = block.state->geometry;
  const PublishedRow<Format> tasks(args, row_index, geometry, 0, 1);
  if (block.state->needs_scores == 0) {
    finish_trivial<Format>(args, row_index, geometry);
    tasks.without_stream();
    return;
  }
  const GlobalRow<Format> row(vectors_of<Format>(args, row_index, geometry));
  Stream<Format, GlobalRow<Format>, false, BlockWatch<Format>> stream(block, row, whole_row(),
                                                                      tasks.watch(row.vectors().lead()));
  set_cutoff(block, first_cutoff<Format>(args, block, row_index, row));
  write_row<Format>(args, block, row_index, find_in_row<Format>(args, block, row_index, stream));
}

template <typename Format>
KEYSIEVE_DEVICE void publish_split(const SelectKernelArgs& args) {
  select_split_with<Format, PublishedRow<Format>>(args);
}

}  // namespace keysieve

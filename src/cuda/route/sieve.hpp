// Route sieve: one CTA reads a row once and keeps what passes a running cutoff. See docs/algorithms/sieve.md.
#pragma once

#include "cuda/route/row_task.hpp"

namespace keysieve {

// The candidates of row `row_index`. All threads; the first cutoff has been set. The row is made anew for a second
// read: kept, it would take registers from the first.
template <typename Format, typename FirstStream>
KEYSIEVE_DEVICE Found find_in_row(const SelectKernelArgs& args, const Block& block, std::int64_t row_index,
                                  FirstStream& stream) {
  Found found{0, stream.run(), {0, 0}};
  if (cutoff_was_too_high(block, block.state->geometry.length, block.state->num_candidates, block.state->cutoff)) {
    simt::sync_block();
    start_again_below_cutoff(block);
    const GlobalRow<Format> row(vectors_of<Format>(args, row_index, block.state->geometry));
    found.histogram = Stream<Format, GlobalRow<Format>, true>(block, row, whole_row()).run();
  }
  found.num_candidates = static_cast<std::int32_t>(block.state->num_candidates);
  return found;
}

template <typename Format>
KEYSIEVE_DEVICE void select_sieve(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const std::int64_t row_index = simt::block_index();
  answer_row<Format>(args, row_index, [&](const Block& block, const RowGeometry& geometry) {
    const GlobalRow<Format> row(vectors_of<Format>(args, row_index, geometry));
    Stream<Format, GlobalRow<Format>> stream(block, row, whole_row());
    set_cutoff(block, first_cutoff<Format>(args, block, row_index, row));
    write_row<Format>(args, block, row_index, find_in_row<Format>(args, block, row_index, stream));
  });
}

}  // namespace keysieve

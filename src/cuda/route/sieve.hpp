// Route sieve: one CTA reads a row once and keeps what passes a running cutoff. See docs/algorithms/sieve.md.
#pragma once

#include "cuda/route/row_task.hpp"

namespace keysieve {

// From the scores of row `row_index` to its output. All threads; `stream`'s cutoff has been set.
template <typename Format, typename Row>
KEYSIEVE_DEVICE void select_in_one_block(const SelectKernelArgs& args, const Block& block, std::int64_t row_index,
                                         const Row& row, Stream<Format, Row>& stream) {
  RowCounters counters{0, 0, 0};
  Composite threshold = stream.run(whole_row());
  if (cutoff_was_too_high(block, row.vectors().length(), block.state->num_candidates, block.state->cutoff)) {
    simt::sync_block();
    start_again_below_cutoff(block);
    threshold = Stream<Format, Row, true>(block, row, whole_row()).run(whole_row());
    counters.second_reads = 1;
  }
  write_row<Format>(args, block, row_index, threshold, counters);
}

template <typename Format>
KEYSIEVE_DEVICE void select_sieve(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const std::int64_t row_index = simt::block_index();
  answer_row<Format>(args, row_index, [&](const Block& block, const RowGeometry& geometry) {
    simt::sync_block();
    const GlobalRow<Format> row(vectors_of<Format>(args, row_index, geometry));
    Stream<Format, GlobalRow<Format>> stream(block, row, whole_row());
    set_cutoff(block, first_cutoff<Format>(args, block, row_index, row));
    select_in_one_block<Format>(args, block, row_index, row, stream);
  });
}

}  // namespace keysieve

// Route sieve: one CTA reads a row once and keeps what passes a running cutoff. See docs/algorithms/sieve.md.
#pragma once

#include "cuda/route/row_task.hpp"

namespace keysieve {

// From the scores of row `row_index` to its output. All threads; the state has been reset.
template <typename Format, typename Row>
KEYSIEVE_DEVICE void select_in_one_block(const SelectKernelArgs& args, const Block& block, std::int64_t row_index,
                                         const Row& row) {
  Stream<Format, Row> stream(block, row, whole_row());
  set_first_cutoff<Format>(args, block, row_index, row);
  const Cutoff first = block.state->cutoff;
  RowCounters counters{0, 0, 0};
  Composite threshold = stream.run(whole_row());
  if (cutoff_was_too_high(block, row.vectors().length(), block.state->num_candidates, first)) {
    simt::sync_block();
    stream.start_again_below(first);
    threshold = stream.run(whole_row());
    counters.second_reads = 1;
  }
  write_row<Format>(args, block, row_index, threshold, counters);
}

template <typename Format>
KEYSIEVE_DEVICE void select_sieve(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const std::int64_t row = simt::block_index();
  answer_row<Format>(args, row, [&](const Block& block, const RowGeometry& geometry) {
    simt::sync_block();
    select_in_one_block<Format>(args, block, row, GlobalRow<Format>(vectors_of<Format>(args, row, geometry)));
  });
}

}  // namespace keysieve

// Route sieve: one CTA reads a row once and keeps what passes a running cutoff. See docs/algorithms/sieve.md.
#pragma once

#include "cuda/route/row_task.hpp"

namespace keysieve {

// From the scores of row `row_index` to its output. All threads; `stream`'s cutoff has been set. A second read makes
// the row anew (`make_row(geometry)`): kept, it would take registers from the first.
template <typename Format, typename Row, typename MakeRow>
KEYSIEVE_DEVICE void select_in_one_block(const SelectKernelArgs& args, const Block& block, std::int64_t row_index,
                                         Stream<Format, Row>& stream, const MakeRow& make_row) {
  RowCounters counters{0, 0, 0};
  Histogram histogram = stream.run();
  if (cutoff_was_too_high(block, block.state->geometry.length, block.state->num_candidates, block.state->cutoff)) {
    simt::sync_block();
    start_again_below_cutoff(block);
    const Row row = make_row(block.state->geometry);
    histogram = Stream<Format, Row, true>(block, row, whole_row()).run();
    counters.second_reads = 1;
  }
  write_row<Format>(args, block, row_index, static_cast<std::int32_t>(block.state->num_candidates), histogram,
                    counters);
}

template <typename Format>
KEYSIEVE_DEVICE void select_sieve(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const std::int64_t row_index = simt::block_index();
  answer_row<Format>(args, row_index, NoPreparation{}, [&](const Block& block, const RowGeometry& geometry) {
    const auto make_row = [&](const RowGeometry& live) {
      return GlobalRow<Format>(vectors_of<Format>(args, row_index, live));
    };
    const GlobalRow<Format> row = make_row(geometry);
    Stream<Format, GlobalRow<Format>> stream(block, row, whole_row());
    set_cutoff(block, first_cutoff<Format>(args, block, row_index, row));
    select_in_one_block<Format>(args, block, row_index, stream, make_row);
  });
}

}  // namespace keysieve

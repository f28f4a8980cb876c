// Route sieve: one CTA reads a row once and keeps what passes a running cutoff. See docs/algorithms/sieve.md.
#pragma once

#include "cuda/route/row_task.hpp"

namespace keysieve {

// The row from `row`, candidates included, to its output. All threads; the state has been reset.
template <typename Format, typename Row>
KEYSIEVE_DEVICE void select_in_one_block(const Block& block, RowTask<Format>& task, const Row& row, SlotOrder order) {
  task.set_first_cutoff(block, row);
  const Cutoff first = block.state->cutoff;
  stream_row<Format>(block, row, whole_row());
  std::uint32_t second_reads = 0;
  if (task.cutoff_was_too_high(block, block.state->num_candidates, first)) {
    simt::sync_block();
    lower_cutoff_to_floor(block);
    stream_rest<Format>(block, row, whole_row(), first);
    second_reads = 1;
  }
  finish_row(block, order, task.length(), task.output());
  if (simt::thread_index() == 0) task.output().write_counters(second_reads, block.state->compactions);
}

template <typename Format>
KEYSIEVE_DEVICE void select_sieve(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  RowTask<Format> task(args, simt::block_index());
  if (task.is_trivial()) {
    task.finish_trivial();
    return;
  }
  const Block block(args);
  block.reset();
  simt::sync_block();
  select_in_one_block(block, task, GlobalRow<Format>(task.vectors()), args.problem.order);
}

}  // namespace keysieve

// Route wide: many CTAs share a row and meet in the workspace. Two launches in stream order, so nothing waits for
// anything that might not be resident. See docs/algorithms/wide.md.
#pragma once

#include "cuda/route/row_task.hpp"
#include "cuda/route/wide_parts.hpp"

namespace keysieve {

// First launch: a CTA per row and part.
template <typename Format>
KEYSIEVE_DEVICE void select_wide_collect(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const std::int64_t row_index = simt::block_index() / args.split;
  const auto part = static_cast<std::int32_t>(simt::block_index() - row_index * args.split);
  RowTask<Format> task(args, row_index);
  if (task.is_trivial()) return;
  const Block block(args);
  block.reset();
  simt::sync_block();
  const GlobalRow<Format> row(task.vectors());
  task.set_first_cutoff(block, row);
  const Cutoff first = block.state->cutoff;
  stream_row<Format>(block, row, part_of_row(part, args.split));
  if (static_cast<std::int32_t>(block.state->num_candidates) > block.k) compact(block);
  const WidePart out(args.args.workspace, args.problem.width, args.problem.k, simt::block_index());
  const auto count = static_cast<std::int32_t>(block.state->num_candidates);
  for (std::int32_t i = simt::thread_index(); i < count; i += simt::block_threads()) {
    out.candidates()[i] = block.candidates[i];
  }
  simt::sync_block();
  if (simt::thread_index() == 0) {
    out.header() = {block.state->num_candidates, block.state->compactions, block.state->nan_seen, 0, first, {0, 0}};
  }
}

// Second launch: a CTA per row. Where the first cutoff was too high, it reads the row again on its own; the sample
// makes that a matter of one row in a million.
template <typename Format>
KEYSIEVE_DEVICE void select_wide_merge(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  RowTask<Format> task(args, simt::block_index());
  if (task.is_trivial()) {
    task.finish_trivial();
    return;
  }
  const Block block(args);
  block.reset();
  simt::sync_block();
  const auto part_of = [&](std::int32_t part) {
    return WidePart(args.args.workspace, args.problem.width, args.problem.k, task.row() * args.split + part);
  };
  std::uint32_t total = 0;
  std::uint32_t compactions = 0;
  std::uint32_t nan_seen = 0;
  for (std::int32_t part = 0; part < args.split; ++part) {
    const WidePartHeader header = part_of(part).header();
    total += header.num_candidates;
    compactions += header.compactions;
    nan_seen |= header.nan_seen;
    const Composite* candidates = part_of(part).candidates();
    add_candidates(block, static_cast<std::int32_t>(header.num_candidates),
                   [candidates](std::int32_t i) { return candidates[i]; });
  }
  if (nan_seen != 0 && simt::thread_index() == 0) task.output().report(kErrorNanSeen);
  std::uint32_t second_reads = 0;
  const Cutoff first = part_of(0).header().first_cutoff;
  if (task.cutoff_was_too_high(block, total, first)) {
    lower_cutoff_to_floor(block);
    stream_rest<Format>(block, GlobalRow<Format>(task.vectors()), whole_row(), first);
    second_reads = 1;
  } else {
    find_key_range(block, static_cast<std::int32_t>(block.state->num_candidates));
  }
  finish_row(block, args.problem.order, task.length(), task.output());
  if (simt::thread_index() == 0) task.output().write_counters(second_reads, compactions + block.state->compactions);
}

}  // namespace keysieve

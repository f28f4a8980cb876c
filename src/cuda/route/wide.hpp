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
  const RowGeometry geometry = row_geometry(args.problem, args.args, row_index);
  if (is_trivial(args.problem, geometry)) return;
  const Block block(args);
  block.reset(geometry);
  simt::sync_block();
  const GlobalRow<Format> row(vectors_of<Format>(args, row_index, geometry));
  Stream<Format, GlobalRow<Format>> stream(block, row, part_of_row(part, args.split));
  const Cutoff first = first_cutoff<Format>(args, block, row_index, row);
  set_cutoff(block, first);
  const Composite threshold = stream.run(part_of_row(part, args.split));
  if (threshold != 0) compact(block, static_cast<std::int32_t>(block.state->num_candidates), threshold);
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
// makes that a matter of one row in 30,000.
template <typename Format>
KEYSIEVE_DEVICE void select_wide_merge(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const std::int64_t row = simt::block_index();
  answer_row<Format>(args, row, [&](const Block& block, const RowGeometry& geometry) {
    simt::sync_block();
    const auto part_of = [&](std::int32_t part) {
      return WidePart(args.args.workspace, args.problem.width, args.problem.k, row * args.split + part);
    };
    std::uint32_t total = 0;
    RowCounters counters{0, 0, 0};
    for (std::int32_t part = 0; part < args.split; ++part) {
      const WidePartHeader header = part_of(part).header();
      total += header.num_candidates;
      counters.compactions += header.compactions;
      counters.nan_seen |= header.nan_seen;
      const Composite* candidates = part_of(part).candidates();
      add_candidates(block, static_cast<std::int32_t>(header.num_candidates),
                     [candidates](std::int32_t i) { return candidates[i]; });
    }
    const Cutoff first = part_of(0).header().first_cutoff;
    Composite threshold = 0;
    if (cutoff_was_too_high(block, static_cast<std::int32_t>(geometry.length), total, first)) {
      const GlobalRow<Format> scores(vectors_of<Format>(args, row, geometry));
      set_cutoff(block, first);
      start_again_below_cutoff(block);
      threshold = Stream<Format, GlobalRow<Format>, true>(block, scores, whole_row()).run(whole_row());
      counters.second_reads = 1;
    } else {
      threshold = block_select(block, static_cast<std::int32_t>(block.state->num_candidates), block.k);
    }
    write_row<Format>(args, block, row, threshold, counters);
  });
}

}  // namespace keysieve

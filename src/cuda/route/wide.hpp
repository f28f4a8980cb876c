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
  // There are fewer blocks than 2^31, and a division by 64 bits is a long subroutine.
  const auto index = static_cast<std::uint32_t>(simt::block_index());
  const std::uint32_t row_index = index / static_cast<std::uint32_t>(args.split);
  const auto part = static_cast<std::int32_t>(index - row_index * static_cast<std::uint32_t>(args.split));
  const Block block(args);
  begin_row(args, block, row_index);
  if (block.state->needs_scores == 0) return;
  const GlobalRow<Format> row(vectors_of<Format>(args, row_index, block.state->geometry));
  Stream<Format, GlobalRow<Format>> stream(block, row, part_of_row(part, args.split));
  const Cutoff first = first_cutoff<Format>(args, block, row_index, row);
  if (simt::thread_index() == 0) block.state->ceiling = first;  // kept in registers, it would cost a spill
  set_cutoff(block, first);
  const Histogram histogram = stream.run();
  const auto found = static_cast<std::int32_t>(block.state->num_candidates);
  const Composite threshold = block_select(block, found, block.k, histogram);
  if (found > block.k) compact(block, found, threshold);
  const WidePart out(args.args.workspace, args.problem.width, args.problem.k, simt::block_index());
  const auto count = static_cast<std::int32_t>(block.state->num_candidates);
  KEYSIEVE_NO_UNROLL
  for (std::int32_t i = simt::thread_index_again(); i < count; i += simt::block_threads()) {
    out.candidates()[i] = block.candidates[i];
  }
  simt::sync_block();
  if (simt::thread_index() == 0) {
    out.header() = {
        block.state->num_candidates, block.state->compactions, block.state->nan_seen, 0, block.state->ceiling, {0, 0}};
  }
}

// Second launch: a CTA per row. Where the first cutoff was too high, it reads the row again on its own; the sample
// makes that a matter of one row in 30,000.
template <typename Format>
KEYSIEVE_DEVICE void select_wide_merge(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const std::int64_t row = simt::block_index();
  answer_row<Format>(args, row, [&](const Block& block, const RowGeometry& geometry) {
    const auto part_of = [&](std::int32_t part) {
      return WidePart(args.args.workspace, args.problem.width, args.problem.k, row * args.split + part);
    };
    std::uint32_t total = 0;
    OthersNotes others{0, 0};
    for (std::int32_t part = 0; part < args.split; ++part) {
      const WidePartHeader header = part_of(part).header();
      total += header.num_candidates;
      others.compactions += header.compactions;
      others.nan_seen |= header.nan_seen;
      const Composite* candidates = part_of(part).candidates();
      add_candidates(block, static_cast<std::int32_t>(header.num_candidates),
                     [candidates](std::int32_t i) { return candidates[i]; });
    }
    const Cutoff first = part_of(0).header().first_cutoff;
    Histogram histogram = nothing_counted();
    if (cutoff_was_too_high(block, static_cast<std::int32_t>(geometry.length), total, first)) {
      const GlobalRow<Format> scores(vectors_of<Format>(args, row, geometry));
      set_cutoff(block, first);
      start_again_below_cutoff(block);
      histogram = Stream<Format, GlobalRow<Format>, true>(block, scores, whole_row()).run();
    }
    write_row<Format>(args, block, row, {static_cast<std::int32_t>(block.state->num_candidates), histogram, others});
  });
}

}  // namespace keysieve

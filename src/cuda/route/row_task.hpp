// What every route does with a row before it looks at a score, and after it has found the candidates.
#pragma once

#include "cuda/block/finish_row.hpp"
#include "cuda/block/first_cutoff.hpp"
#include "cuda/block/stream.hpp"

namespace keysieve {

// Every column is chosen, in an order that needs no score. True for an empty row too.
KEYSIEVE_DEVICE bool is_trivial(const SelectProblem& problem, const RowGeometry& geometry) {
  return geometry.length == 0 ||
         (geometry.length <= problem.k && problem.mask_neg_inf == 0 && problem.order != SlotOrder::kScore);
}

// All threads of one block.
template <typename Format>
KEYSIEVE_DEVICE void finish_trivial(const SelectKernelArgs& args, std::int64_t row, const RowGeometry& geometry) {
  RowOutput<Format> output(args, row, geometry);
  const auto length = static_cast<std::int32_t>(geometry.length);
  bool nan_seen = false;
  KEYSIEVE_NO_UNROLL
  for (std::int32_t i = simt::thread_index(); i < length; i += simt::block_threads()) {
    output.put(i, i);
    if (args.problem.check_nan != 0) nan_seen |= is_nan<Format>(window_of<Format>(args, row, geometry)[i]);
  }
  if (nan_seen) output.report(kErrorNanSeen);
  output.finish(length);
  if (simt::thread_index() == 0) output.write_counters(0, 0);
}

// All threads of the one block that owns row `row`: answers it here where no score is needed, else hands it to
// `select(block, geometry)` with the state reset; a barrier must follow.
template <typename Format, typename Select>
KEYSIEVE_DEVICE void answer_row(const SelectKernelArgs& args, std::int64_t row, const Select& select) {
  const RowGeometry geometry = row_geometry(args.problem, args.args, row);
  if (is_trivial(args.problem, geometry)) {
    finish_trivial<Format>(args, row, geometry);
    return;
  }
  const Block block(args);
  block.reset(geometry);
  select(block, geometry);
}

template <typename Format>
KEYSIEVE_DEVICE RowVectors<Format> vectors_of(const SelectKernelArgs& args, std::int64_t row,
                                              const RowGeometry& geometry) {
  return RowVectors<Format>(window_of<Format>(args, row, geometry), geometry.length);
}

// All threads, the same in each: a cutoff from the hint, or from a sample of the row, or the floor where the row is
// short. A barrier must follow before the candidate buffer is used.
template <typename Format, typename Row>
KEYSIEVE_DEVICE Cutoff first_cutoff(const SelectKernelArgs& args, const Block& block, std::int64_t row_index,
                                    const Row& row) {
  if (args.args.hint != nullptr) {
    Cutoff cutoff;
    const auto hint = static_cast<const typename Format::Bits*>(args.args.hint)[row_index];
    if (cutoff_of_hint<Format>(block, hint, cutoff)) return cutoff;
  }
  if (args.sample_vectors == 0 || !is_worth_sampling(block, row.vectors().length())) return block.floor;
  return sampled_cutoff<Format>(block, row, args.sample_vectors);
}

// All threads: every one of them goes by `cutoff` from here on. Ends with a barrier.
KEYSIEVE_DEVICE void set_cutoff(const Block& block, const Cutoff& cutoff) {
  if (simt::thread_index() == 0) block.state->cutoff = cutoff;
  simt::sync_block();
}

// Fewer candidates than slots although `cutoff` kept columns out that could have filled them. A cutoff that has been
// raised since left k candidates, so the one in force will do.
KEYSIEVE_DEVICE bool cutoff_was_too_high(const Block& block, std::int64_t length, std::uint32_t num_candidates,
                                         const Cutoff& cutoff) {
  const bool kept_out = cutoff.key > block.floor.key || cutoff.chunk_rank > 0;
  return kept_out && static_cast<std::int64_t>(num_candidates) < (length < block.k ? length : block.k);
}

// What the counters of a row report.
struct RowCounters {
  std::uint32_t second_reads;
  std::uint32_t compactions;  // of other blocks
  std::uint32_t nan_seen;     // by other blocks
};

// All threads of the block that writes the row; every candidate is visible, `threshold` the k-th largest or 0. The
// row's geometry comes back from shared memory: kept in registers, it would take them from the loop over the row.
template <typename Format>
KEYSIEVE_DEVICE void write_row(const SelectKernelArgs& args, const Block& block, std::int64_t row, Composite threshold,
                               const RowCounters& counters) {
  const RowGeometry geometry = block.state->geometry;
  RowOutput<Format> output(args, row, geometry);
  if (simt::thread_index() == 0 && (counters.nan_seen | block.state->nan_seen) != 0) output.report(kErrorNanSeen);
  finish_row(block, threshold, args.problem.order, geometry.length, output);
  if (simt::thread_index() == 0) {
    output.write_counters(counters.second_reads, counters.compactions + block.state->compactions);
  }
}

}  // namespace keysieve

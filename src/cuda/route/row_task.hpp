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

template <typename Slots>
KEYSIEVE_DEVICE void put_all(Slots& slots, std::int32_t length) {
  KEYSIEVE_NO_UNROLL
  for (std::int32_t i = simt::thread_index(); i < length; i += simt::block_threads()) slots.put(i, i);
}

// All threads of one block.
template <typename Format>
KEYSIEVE_DEVICE void finish_trivial(const SelectKernelArgs& args, std::int64_t row, const RowGeometry& geometry) {
  const auto length = static_cast<std::int32_t>(geometry.length);
  PlainSlots plain{plain_indices(args, row)};
  if (plain.indices != nullptr && args.problem.check_nan == 0) {
    put_all(plain, length);
    finish_plain(args, row, plain, length, geometry.error_bits);
  } else {
    RowOutput<Format> output(args, row, geometry);
    put_all(output, length);
    bool nan_seen = false;
    if (args.problem.check_nan != 0) {
      const auto* window = window_of<Format>(args, row, geometry);
      KEYSIEVE_NO_UNROLL
      for (std::int32_t i = simt::thread_index(); i < length; i += simt::block_threads()) {
        nan_seen |= is_nan<Format>(window[i]);
      }
    }
    if (nan_seen) output.report(kErrorNanSeen);
    output.finish(length);
  }
  if (simt::thread_index() == 0) write_counters(args, row, 0, 0);
}

// All threads of a block: everything reset, the row's geometry in the state. The first warp alone works it out, the
// others would do the same again. Ends with a barrier.
KEYSIEVE_DEVICE void begin_row(const SelectKernelArgs& args, const Block& block, std::int64_t row) {
  if (simt::warp_index() == 0) {
    block.reset_state();
    const RowGeometry geometry = row_geometry(args.problem, args.args, row);
    if (simt::lane_index() == 0) {
      block.state->geometry = geometry;
      block.state->needs_scores = is_trivial(args.problem, geometry) ? 0 : 1;
    }
  }
  block.clear_bins();
  simt::sync_block();
}

// All threads of the one block that owns row `row`: answers it here where no score is needed, else hands it to
// `select(block, geometry)`.
template <typename Format, typename Select>
KEYSIEVE_DEVICE void answer_row(const SelectKernelArgs& args, std::int64_t row, const Select& select) {
  const Block block(args);
  begin_row(args, block, row);
  if (block.state->needs_scores == 0) {
    finish_trivial<Format>(args, row, block.state->geometry);
    return;
  }
  select(block, block.state->geometry);
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

// What other blocks have to say of the row.
struct OthersNotes {
  std::uint32_t compactions;
  std::uint32_t nan_seen;
};

// A row's candidates, all that can belong to its answer, in the candidate buffer.
struct Found {
  std::int32_t num_candidates;
  Histogram histogram;  // what the bins hold of them
  OthersNotes others;
};

// All threads of the block that writes the row: what was found becomes slots. No barrier is needed before.
template <typename Format>
KEYSIEVE_DEVICE void write_row(const SelectKernelArgs& args, const Block& block, std::int64_t row, const Found& found) {
  finish_row<Format>(args, block, row, found.num_candidates, found.histogram, found.others.nan_seen != 0);
  if (simt::thread_index() == 0) {
    write_counters(args, row, block.state->second_reads, found.others.compactions + block.state->compactions);
  }
}

}  // namespace keysieve

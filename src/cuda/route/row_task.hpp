// What every route does with a row before it looks at a score.
#pragma once

#include "cuda/block/finish_row.hpp"
#include "cuda/block/first_cutoff.hpp"
#include "cuda/block/stream.hpp"

namespace keysieve {

template <typename Format>
class RowTask {
 public:
  using Bits = typename Format::Bits;

  KEYSIEVE_DEVICE RowTask(const SelectKernelArgs& args, std::int64_t row)
      : args_(args), row_(row), geometry_(row_geometry(args.problem, args.args, row)), output_(args, row, geometry_) {}

  KEYSIEVE_DEVICE std::int64_t row() const { return row_; }
  KEYSIEVE_DEVICE std::int32_t length() const { return static_cast<std::int32_t>(geometry_.length); }
  KEYSIEVE_DEVICE RowVectors<Format> vectors() const { return RowVectors<Format>(window(), geometry_.length); }
  KEYSIEVE_DEVICE RowOutput<Format>& output() { return output_; }

  // Every column is chosen, in an order that needs no score. True for an empty row too.
  KEYSIEVE_DEVICE bool is_trivial() const {
    return geometry_.length == 0 || (geometry_.length <= args_.problem.k && args_.problem.mask_neg_inf == 0 &&
                                     args_.problem.order != SlotOrder::kScore);
  }

  // All threads of one block.
  KEYSIEVE_DEVICE void finish_trivial() {
    bool nan_seen = false;
    for (std::int32_t i = simt::thread_index(); i < length(); i += simt::block_threads()) {
      output_.put(i, i);
      if (args_.problem.check_nan != 0) nan_seen |= is_nan<Format>(window()[i]);
    }
    if (nan_seen) output_.report(kErrorNanSeen);
    output_.finish(length());
    if (simt::thread_index() == 0) output_.write_counters(0, 0);
  }

  // All threads: state.cutoff from the hint, or from a sample of the row, or none where the row is short.
  template <typename Row>
  KEYSIEVE_DEVICE void set_first_cutoff(const Block& block, const Row& row) const {
    if (args_.args.hint != nullptr) {
      Cutoff cutoff;
      if (cutoff_of_hint<Format>(block, static_cast<const Bits*>(args_.args.hint)[row_], cutoff)) {
        if (simt::thread_index() == 0) block.state->cutoff = cutoff;
        simt::sync_block();
        return;
      }
    }
    if (args_.sample_vectors == 0 || !is_worth_sampling(block, length())) return;
    set_sampled_cutoff<Format>(block, row, args_.sample_vectors);
  }

  // Fewer candidates than slots although `first` kept columns out that could have filled them.
  KEYSIEVE_DEVICE bool cutoff_was_too_high(const Block& block, std::uint32_t num_candidates,
                                           const Cutoff& first) const {
    const bool kept_out = first.key > block.floor.key || first.chunk_rank > 0;
    const std::int32_t wanted = length() < block.k ? length() : block.k;
    return kept_out && static_cast<std::int32_t>(num_candidates) < wanted;
  }

 private:
  KEYSIEVE_DEVICE const Bits* window() const {
    return static_cast<const Bits*>(args_.args.scores) + row_ * args_.args.score_row_stride + geometry_.start;
  }

  const SelectKernelArgs& args_;
  std::int64_t row_;
  RowGeometry geometry_;
  RowOutput<Format> output_;
};

// Before the second read: candidates stay, everything that may be chosen at all is taken. Ends with a barrier.
KEYSIEVE_DEVICE void lower_cutoff_to_floor(const Block& block) {
  if (simt::thread_index() == 0) block.state->cutoff = block.floor;
  simt::sync_block();
}

}  // namespace keysieve

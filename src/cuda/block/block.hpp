// The block as its algorithms see it: shared memory by name, the options of the call that every step needs.
#pragma once

#include "cuda/block/block_state.hpp"
#include "cuda/kernel_args.hpp"
#include "cuda/simt/simt.hpp"

namespace keysieve {

struct Block {
  BlockState* state;
  std::uint32_t* partials;  // one a warp
  Composite* boundary;      // block_select: the few that are ranked by counting
  std::uint32_t* bins;      // zero but while block_select is at work; route tile uses the word behind them too
  Composite* candidates;
  std::byte* inbox_memory;
  Composite* unused = nullptr;  // route split: places that nobody needs any more when a row is finished
  std::int32_t unused_entries = 0;
  std::int32_t capacity;
  std::int32_t limit;
  std::int32_t k;
  TieOrder ties;
  bool nan_is_highest;
  bool check_nan;
  Key nan_key;
  Cutoff floor;  // below it no column may be chosen at all

  KEYSIEVE_DEVICE explicit Block(const SelectKernelArgs& args)
      : capacity(args.candidate_capacity),
        limit(args.candidate_limit),
        k(static_cast<std::int32_t>(args.problem.k)),
        ties{args.problem.ties == Ties::kLargest ? 0u : 0xFFFFFFFFu},
        nan_is_highest(args.nan_is_highest != 0),
        check_nan(args.problem.check_nan != 0),
        nan_key(args.nan_is_highest != 0 ? kKeyNanHighest : kKeyNanLowest),
        floor{args.floor_key, 0} {
    const SharedLayout layout(capacity);
    std::byte* base = simt::shared_memory();
    state = reinterpret_cast<BlockState*>(base);
    partials = reinterpret_cast<std::uint32_t*>(base + layout.partials);
    boundary = reinterpret_cast<Composite*>(base + layout.boundary);
    bins = reinterpret_cast<std::uint32_t*>(base + layout.bins);
    candidates = reinterpret_cast<Composite*>(base + layout.candidates);
    inbox_memory = base + layout.inbox;
  }

  // Route split: this block, with the inbox in place of the candidate buffer: what the CTAs of the cluster send to the
  // first one, and bins of their own.
  KEYSIEVE_DEVICE Block inbox() const {
    Block inbox = *this;
    inbox.unused = candidates;
    inbox.unused_entries = capacity;
    inbox.bins = reinterpret_cast<std::uint32_t*>(inbox_memory);
    inbox.candidates = reinterpret_cast<Composite*>(inbox.bins + kSelectBins);
    inbox.capacity = inbox_entries(capacity);
    return inbox;
  }

  // Four more arrays of partials, while nothing lies at the boundary.
  KEYSIEVE_DEVICE std::uint32_t* early_partials(int array) const {
    static_assert(kMaxBoundary * sizeof(Composite) == 4 * kMaxWarps * sizeof(std::uint32_t));
    return reinterpret_cast<std::uint32_t*>(boundary) + array * kMaxWarps;
  }

  // All threads, before a barrier; so is whatever used the bins last.
  KEYSIEVE_DEVICE void clear_bins() const {
    KEYSIEVE_NO_UNROLL
    for (std::int32_t i = simt::thread_index(); i < kSelectBins / 4; i += simt::block_threads()) {
      reinterpret_cast<simt::Vector*>(bins)[i] = simt::Vector{};
    }
  }

  // Before the first use of the state, which then lacks the row's geometry; a barrier must follow.
  KEYSIEVE_DEVICE void reset_state() const {
    if (simt::thread_index() != 0) return;
    *state = BlockState{};
    state->cutoff = floor;
  }
};

}  // namespace keysieve

// The exact k-th largest of the candidates in shared memory.
//
// A histogram over the range that is still open narrows it to one bin, until what is left is ranked by counting or the
// bin is taken whole. Bins follow the range of the candidates, not the type's, so that narrow rows and plateaus cost
// what wide ones do: on N(0,1) one histogram and one count, at most six histograms for any input.
#pragma once

#include "cuda/block/block.hpp"
#include "cuda/block/block_scan.hpp"

namespace keysieve {

// So few are ranked by comparing all with all.
inline constexpr std::uint32_t kMaxBoundary = 64;

// A thread's share of the lowest and highest key.
struct KeyRange {
  Key lowest = 0xFFFFFFFFu;
  Key highest = 0;
  KEYSIEVE_DEVICE void add(Key key) {
    lowest = key < lowest ? key : lowest;
    highest = key > highest ? key : highest;
  }
};

// The range over the block goes to the state. All threads; a barrier must follow.
KEYSIEVE_DEVICE void publish_key_range(const Block& block, const KeyRange& range) {
  const Key lowest = simt::warp_min(range.lowest);
  const Key highest = simt::warp_max(range.highest);
  if (simt::thread_index() == 0) {
    block.state->lowest_key = 0xFFFFFFFFu;
    block.state->highest_key = 0;
  }
  simt::sync_block();
  if (simt::lane_index() == 0) {
    simt::atomic_min(&block.state->lowest_key, lowest);
    simt::atomic_max(&block.state->highest_key, highest);
  }
}

// All threads; ends with a barrier.
KEYSIEVE_DEVICE void find_key_range(const Block& block, std::int32_t num_candidates) {
  KeyRange range;
  KEYSIEVE_UNROLL_BY_4
  for (std::int32_t i = simt::thread_index(); i < num_candidates; i += simt::block_threads()) {
    range.add(key_of(block.candidates[i]));
  }
  publish_key_range(block, range);
  simt::sync_block();
}

KEYSIEVE_DEVICE void clear_bins(const Block& block) {
  reinterpret_cast<simt::Vector*>(block.bins)[simt::thread_index()] = simt::Vector{};
}

// The bin, counted from the top, that holds the `wanted`-th; in the state. Ends with a barrier.
KEYSIEVE_DEVICE void find_bin(const Block& block, std::uint32_t wanted) {
  const int from_top = simt::block_threads() - 1 - simt::thread_index();
  const simt::Vector four = reinterpret_cast<const simt::Vector*>(block.bins)[from_top];
  const std::uint32_t sum = four.words[0] + four.words[1] + four.words[2] + four.words[3];
  std::uint32_t above = block_exclusive_sum(block.partials, sum).before;
  KEYSIEVE_UNROLL
  for (int i = 3; i >= 0; --i) {
    const std::uint32_t here = four.words[i];
    if (above < wanted && above + here >= wanted) {
      block.state->found_bin = static_cast<std::uint32_t>(from_top * 4 + i);
      block.state->found_above = above;
      block.state->found_count = here;
    }
    above += here;
  }
  simt::sync_block();
}

// Ranks the few candidates of [low, high] by counting: the `wanted`-th largest becomes the threshold. They are
// gathered in the bins, which are free by now. Ends with a barrier.
KEYSIEVE_DEVICE void rank_boundary(const Block& block, std::int32_t num_candidates, Composite low, Composite high,
                                   std::uint32_t wanted) {
  auto* boundary = reinterpret_cast<Composite*>(block.bins);
  if (simt::thread_index() == 0) block.state->num_boundary = 0;
  simt::sync_block();
  KEYSIEVE_UNROLL_BY_4
  for (std::int32_t i = simt::thread_index(); i < num_candidates; i += simt::block_threads()) {
    const Composite candidate = block.candidates[i];
    if (candidate >= low && candidate <= high) boundary[simt::atomic_add(&block.state->num_boundary, 1)] = candidate;
  }
  simt::sync_block();
  const std::uint32_t count = block.state->num_boundary;
  KEYSIEVE_NO_UNROLL
  for (auto i = static_cast<std::uint32_t>(simt::thread_index()); i < count;
       i += static_cast<std::uint32_t>(simt::block_threads())) {
    std::uint32_t larger = 0;
    for (std::uint32_t j = 0; j < count; ++j) larger += boundary[j] > boundary[i] ? 1u : 0u;
    if (larger == wanted - 1) block.state->threshold = boundary[i];
  }
  simt::sync_block();
}

// The k-th largest of more than k candidates, whose key range is in the state: exactly k of them are at or above the
// result. All threads; every candidate is visible to all, and so is the result.
KEYSIEVE_DEVICE Composite block_select(const Block& block, std::int32_t num_candidates, std::int32_t k) {
  Composite low = make_composite(block.state->lowest_key, 0);
  Composite high = make_composite(block.state->highest_key, 0xFFFFFFFFu);
  auto wanted = static_cast<std::uint32_t>(k);
  const int log2_bins = 63 - simt::leading_zeros(static_cast<std::uint64_t>(bins_of(simt::block_threads())));
  KEYSIEVE_NO_UNROLL
  while (true) {
    const int range_bits = high == low ? 0 : 64 - simt::leading_zeros(high - low);
    const int shift = range_bits > log2_bins ? range_bits - log2_bins : 0;
    clear_bins(block);
    simt::sync_block();
    KEYSIEVE_UNROLL_BY_4
    for (std::int32_t i = simt::thread_index(); i < num_candidates; i += simt::block_threads()) {
      const Composite candidate = block.candidates[i];
      if (candidate >= low && candidate <= high) simt::atomic_add(&block.bins[(candidate - low) >> shift], 1);
    }
    simt::sync_block();
    find_bin(block, wanted);
    wanted -= block.state->found_above;
    low += static_cast<Composite>(block.state->found_bin) << shift;
    const Composite bin_span = (Composite{1} << shift) - 1;
    if (high - low > bin_span) high = low + bin_span;  // compared as a distance: the sum may pass 2^64
    const std::uint32_t count = block.state->found_count;
    if (count == wanted || shift == 0) return low;  // the whole bin, or a bin of one composite
    if (count <= kMaxBoundary) break;
    simt::sync_block();  // the bins are read until here
  }
  rank_boundary(block, num_candidates, low, high, wanted);
  return block.state->threshold;
}

}  // namespace keysieve

// The k best of the candidates in shared memory, exactly.
//
// A histogram of equal bins over a range of keys shows which bin holds the k-th: what lies above it is chosen. Up to
// kMaxBoundary candidates in that bin are ranked by comparing all with all; more get a histogram of their own: over
// their keys, or, where they share one key, over their ranks. So a narrow row costs what a wide one does, and a plateau
// one histogram more. Each round divides a 32-bit range by 512 or more, so nine of them do for any input.
#pragma once

#include "cuda/block/block.hpp"
#include "cuda/block/block_scan.hpp"

namespace keysieve {

// Bins of equal width, a power of two, over [low, high]: at least half of the kSelectBins, or one a number.
class Bins {
 public:
  KEYSIEVE_DEVICE Bins(std::uint32_t low, std::uint32_t high) : low_(low) {
    const int bits = 64 - simt::leading_zeros(static_cast<std::uint64_t>(high - low));
    shift_ = bits > kLog2Bins ? bits - kLog2Bins : 0;
  }

  // What lies above `high` is in the last bin. `value` is not below `low`.
  KEYSIEVE_DEVICE std::uint32_t bin(std::uint32_t value) const {
    const std::uint32_t bin = (value - low_) >> shift_;
    return bin < kSelectBins ? bin : kSelectBins - 1;
  }
  KEYSIEVE_DEVICE std::uint32_t lowest_of(std::uint32_t bin) const { return low_ + (bin << shift_); }
  // What lies above `high` left aside.
  KEYSIEVE_DEVICE std::uint32_t highest_of(std::uint32_t bin) const {
    const std::uint32_t lowest = lowest_of(bin);
    const std::uint32_t highest = lowest + ((1u << shift_) - 1);
    return highest < lowest ? 0xFFFFFFFFu : highest;
  }

 private:
  static constexpr int kLog2Bins = 10;
  static_assert(kSelectBins == 1 << kLog2Bins);

  std::uint32_t low_;
  int shift_;
};

// Candidates from `floor` to `last`, both included.
struct Range {
  Composite floor;
  Composite last;

  KEYSIEVE_DEVICE bool contains(Composite candidate) const { return candidate >= floor && candidate <= last; }
};

KEYSIEVE_DEVICE Range every_candidate() { return {0, ~Composite{0}}; }

// How the candidates of a range are put into bins: by key, or, where they share one, by rank.
struct Search {
  Bins bins;
  Key shared_key;
  bool by_rank;

  KEYSIEVE_DEVICE std::uint32_t bin(Composite candidate) const {
    return bins.bin(by_rank ? rank_of(candidate) : key_of(candidate));
  }
  // The part of `range`, which was put into the bins, that lies in `bin`.
  KEYSIEVE_DEVICE Range part(const Range& range, std::uint32_t bin) const {
    const std::uint32_t lowest = bins.lowest_of(bin);
    const std::uint32_t highest = bins.highest_of(bin);
    const Composite floor = by_rank ? make_composite(shared_key, lowest) : make_composite(lowest, 0);
    const Composite last = by_rank ? make_composite(shared_key, highest) : make_composite(highest, 0xFFFFFFFFu);
    return {floor, bin == kSelectBins - 1 || last > range.last ? range.last : last};
  }
};

// Where to begin: every candidate has a key of at least `low`, and few lie above `high`.
KEYSIEVE_DEVICE Search search_keys(Key low, Key high) { return {Bins(low, high > low ? high : low), 0, false}; }

// What the bins hold: a histogram of all candidates by `search`, or nothing.
struct Histogram {
  Search search;
  bool is_counted;
};

KEYSIEVE_DEVICE Histogram nothing_counted() { return {search_keys(0, 0), false}; }

// All threads; a barrier must follow.
KEYSIEVE_DEVICE void count_in_bins(const Block& block, std::int32_t num_candidates, const Search& search,
                                   const Range& range) {
  KEYSIEVE_NO_UNROLL
  for (std::int32_t i = simt::thread_index(); i < num_candidates; i += simt::block_threads()) {
    const Composite candidate = block.candidates[i];
    if (range.contains(candidate)) simt::atomic_add(&block.bins[search.bin(candidate)], 1);
  }
}

// The bin, counted from the top, that holds the `wanted`-th. All lanes of a warp.
KEYSIEVE_DEVICE FoundBin find_bin_by_warp(const std::uint32_t* bins, std::uint32_t wanted) {
  constexpr int kLaneBins = kSelectBins / simt::kWarpLanes;
  static_assert(kLaneBins == simt::kWarpLanes);
  constexpr int kLaneVectors = kLaneBins / 4;
  const int lane = simt::lane_index();
  const int first = kSelectBins - (lane + 1) * kLaneBins;
  std::uint32_t sum = 0;
  KEYSIEVE_UNROLL
  for (int i = 0; i < kLaneVectors; ++i) {
    // Lanes take their vectors in different order, so that those of a step lie in different banks.
    const int vector = first / 4 + (i + lane) % kLaneVectors;
    const simt::Vector four = reinterpret_cast<const simt::Vector*>(bins)[vector];
    sum += four.words[0] + four.words[1] + (four.words[2] + four.words[3]);
  }
  const std::uint32_t reached = warp_inclusive_sum(sum);
  const std::uint32_t enough = simt::warp_ballot(reached >= wanted);
  const int holder = enough != 0 ? simt::lowest_bit(enough) : simt::kWarpLanes - 1;
  const std::uint32_t above_holder = simt::shuffle(reached - sum, holder);
  // The holder's bins, one a lane.
  const std::uint32_t bin = static_cast<std::uint32_t>(kSelectBins - 1 - holder * kLaneBins - lane);
  const std::uint32_t here = bins[bin];
  const std::uint32_t reached_here = above_holder + warp_inclusive_sum(here);
  const std::uint32_t enough_here = simt::warp_ballot(reached_here >= wanted);
  const int found = enough_here != 0 ? simt::lowest_bit(enough_here) : kLaneBins - 1;
  return {simt::shuffle(bin, found), simt::shuffle(reached_here - here, found), simt::shuffle(here, found)};
}

// The same for all threads; starts and ends with a barrier, behind which the bins are free. One warp looks and tells
// the others: if all did, they would wait longer for shared memory than they wait for the one, and a scan over the
// block would take a third barrier (both measured).
KEYSIEVE_DEVICE FoundBin find_bin(const Block& block, std::uint32_t wanted) {
  simt::sync_block();
  if (simt::warp_index() == 0) {
    const FoundBin found = find_bin_by_warp(block.bins, wanted);
    if (simt::lane_index() == 0) block.state->found_bin = found;
  }
  simt::sync_block();
  return block.state->found_bin;
}

// The candidates of `range` spread over bins of their own. All threads; starts with a barrier, one must follow.
KEYSIEVE_DEVICE Search refine(const Block& block, std::int32_t num_candidates, const Range& range) {
  BlockState* state = block.state;
  const int thread = simt::thread_index_again();
  if (thread == 0) {
    state->lowest_in_bin = state->lowest_rank_in_bin = 0xFFFFFFFFu;
    state->highest_in_bin = state->highest_rank_in_bin = 0;
  }
  simt::sync_block();
  Key lowest = 0xFFFFFFFFu, highest = 0;
  std::uint32_t lowest_rank = 0xFFFFFFFFu, highest_rank = 0;
  KEYSIEVE_NO_UNROLL
  for (std::int32_t i = thread; i < num_candidates; i += simt::block_threads()) {
    const Composite candidate = block.candidates[i];
    if (!range.contains(candidate)) continue;
    const Key key = key_of(candidate);
    const std::uint32_t rank = rank_of(candidate);
    lowest = key < lowest ? key : lowest;
    highest = key > highest ? key : highest;
    lowest_rank = rank < lowest_rank ? rank : lowest_rank;
    highest_rank = rank > highest_rank ? rank : highest_rank;
  }
  lowest = simt::warp_min(lowest);
  highest = simt::warp_max(highest);
  lowest_rank = simt::warp_min(lowest_rank);
  highest_rank = simt::warp_max(highest_rank);
  if (simt::lane_index() == 0) {
    simt::atomic_min(&state->lowest_in_bin, lowest);
    simt::atomic_max(&state->highest_in_bin, highest);
    simt::atomic_min(&state->lowest_rank_in_bin, lowest_rank);
    simt::atomic_max(&state->highest_rank_in_bin, highest_rank);
  }
  block.clear_bins();
  simt::sync_block();
  lowest = state->lowest_in_bin;
  highest = state->highest_in_bin;
  lowest_rank = state->lowest_rank_in_bin;
  highest_rank = state->highest_rank_in_bin;
  const bool by_rank = lowest == highest;
  const Search next{by_rank ? Bins(lowest_rank, highest_rank) : Bins(lowest, highest), lowest, by_rank};
  count_in_bins(block, num_candidates, next, range);
  return next;
}

// The k best: all candidates above `range`, and the `wanted` best of those in it, which are kMaxBoundary at most.
struct Boundary {
  Range range;
  std::uint32_t wanted;
};

// Where the k best end. `histogram` says nothing where there are no more than k. All threads, no barrier being needed
// before; the result is the same in all of them, and every candidate is visible then. The bins are not cleared.
KEYSIEVE_DEVICE Boundary find_boundary(const Block& block, std::int32_t num_candidates, std::int32_t k,
                                       const Histogram& histogram) {
  if (simt::thread_index() == 0) block.state->num_boundary = 0;
  if (num_candidates <= k) {
    simt::sync_block();
    return {{0, 0}, 1};  // nothing is below 0; if a candidate is 0, it is the last of the chosen
  }
  Boundary boundary{every_candidate(), static_cast<std::uint32_t>(k)};
  Search search = histogram.search;
  bool is_counted = histogram.is_counted;
  KEYSIEVE_NO_UNROLL
  while (true) {
    if (is_counted) {
      const FoundBin found = find_bin(block, boundary.wanted);
      boundary.wanted -= found.above;
      boundary.range = search.part(boundary.range, found.bin);
      if (found.count <= static_cast<std::uint32_t>(kMaxBoundary)) return boundary;
    }
    search = refine(block, num_candidates, boundary.range);
    is_counted = true;
  }
}

// A candidate at the boundary is put aside, to be ranked.
KEYSIEVE_DEVICE void put_at_boundary(const Block& block, Composite candidate) {
  block.boundary[simt::atomic_add(&block.state->num_boundary, 1)] = candidate;
}

// Those at the boundary that are larger than `mine`.
KEYSIEVE_DEVICE std::uint32_t larger_at_boundary(const Block& block, std::int32_t count, Composite mine) {
  std::uint32_t larger = 0;
  KEYSIEVE_UNROLL_BY_4
  for (std::int32_t j = 0; j < count; ++j) larger += block.boundary[j] > mine ? 1u : 0u;
  return larger;
}

// The `wanted`-th largest of those at the boundary. All lanes of a warp; every warp for itself.
KEYSIEVE_DEVICE Composite nth_of_boundary(const Block& block, std::uint32_t wanted) {
  const auto count = static_cast<std::int32_t>(block.state->num_boundary);
  Composite nth = 0;
  KEYSIEVE_NO_UNROLL
  for (std::int32_t first = 0; first < count; first += simt::kWarpLanes) {
    const std::int32_t i = first + simt::lane_index();
    const Composite mine = i < count ? block.boundary[i] : 0;
    const std::uint32_t larger = larger_at_boundary(block, count, mine);
    const std::uint32_t holder = simt::warp_ballot(i < count && larger == wanted - 1);
    if (holder != 0) nth = simt::shuffle(mine, simt::lowest_bit(holder));
  }
  return nth;
}

// The lowest of the k best of more than k candidates. All threads; the result is the same in all of them. Leaves the
// bins zero, behind the next barrier.
KEYSIEVE_DEVICE Composite lowest_chosen(const Block& block, std::int32_t num_candidates, const Boundary& boundary) {
  KEYSIEVE_UNROLL_BY_4
  for (std::int32_t i = simt::thread_index_again(); i < num_candidates; i += simt::block_threads()) {
    const Composite candidate = block.candidates[i];
    if (boundary.range.contains(candidate)) put_at_boundary(block, candidate);
  }
  simt::sync_block();
  block.clear_bins();
  return nth_of_boundary(block, boundary.wanted);
}

// The k-th largest of the candidates, or 0 where there are no more than k. All threads; the result is the same in all
// of them. Leaves the bins zero, behind the next barrier.
KEYSIEVE_DEVICE Composite block_select(const Block& block, std::int32_t num_candidates, std::int32_t k,
                                       const Histogram& histogram) {
  const Boundary boundary = find_boundary(block, num_candidates, k, histogram);
  return num_candidates <= k ? 0 : lowest_chosen(block, num_candidates, boundary);
}

}  // namespace keysieve

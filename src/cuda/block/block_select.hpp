// The exact k-th largest of the candidates in shared memory.
//
// A histogram of equal bins over a range of keys shows which bin holds it. Up to kMaxBoundary candidates in that bin
// are ranked by comparing all with all; more get a histogram of their own: over their keys, or, where they share one
// key, over their ranks. So a narrow row costs what a wide one does, and a plateau one histogram more. Each round
// divides a 32-bit range by about kSelectBins, so nine of them do for any input.
//
// Every warp looks through the bins and ranks the boundary for itself: that is cheaper than waiting for one that does.
#pragma once

#include "cuda/block/block.hpp"
#include "cuda/block/block_scan.hpp"

namespace keysieve {

// kSelectBins bins of equal width over [low, high]; what lies above `high` is in the last one.
class Bins {
 public:
  KEYSIEVE_DEVICE Bins(std::uint32_t low, std::uint32_t high)
      : low_(low),
        range_(high - low),
        shift_(range_ == 0 ? 0 : simt::leading_zeros(static_cast<std::uint64_t>(range_)) - 32),
        scale_(range_ == 0 ? 0 : scale_of(range_ << shift_)) {}

  // `value` is not below `low`.
  KEYSIEVE_DEVICE std::uint32_t bin(std::uint32_t value) const {
    const std::uint32_t above = value - low_ < range_ ? value - low_ : range_;
    return simt::multiply_high(above << shift_, scale_);
  }

 private:
  // kSelectBins / (range + 1) in units of 2^-32, and a little less: the quotient is no exact one.
  KEYSIEVE_DEVICE static std::uint32_t scale_of(std::uint32_t range) {
    constexpr float kUnits = static_cast<float>(kSelectBins) * 4294967296.f * 0.99999f;
    return static_cast<std::uint32_t>(simt::approximate_quotient(kUnits, static_cast<float>(range)));
  }

  std::uint32_t low_;
  std::uint32_t range_;
  int shift_;
  std::uint32_t scale_;
};

// The candidates among which the wanted one is, and how they are put into bins.
struct Search {
  Composite low;
  Composite high;
  Bins bins;
  bool by_rank;  // they share one key

  KEYSIEVE_DEVICE bool covers(Composite candidate) const { return candidate >= low && candidate <= high; }
  KEYSIEVE_DEVICE std::uint32_t bin(Composite candidate) const {
    return bins.bin(by_rank ? rank_of(candidate) : key_of(candidate));
  }
  KEYSIEVE_DEVICE bool is_in_bin(Composite candidate, std::uint32_t wanted_bin) const {
    return covers(candidate) && bin(candidate) == wanted_bin;
  }
};

// Where to begin: every candidate has a key of at least `low`, and few lie above `high`; or nothing is known of them,
// and one bin holds all.
KEYSIEVE_DEVICE Search search_keys(bool knows_range, Key low, Key high) {
  if (!knows_range) low = high = 0;
  return {make_composite(low, 0), ~Composite{0}, Bins(low, high > low ? high : low), false};
}

// All threads; a barrier must follow.
KEYSIEVE_DEVICE void count_in_bins(const Block& block, std::int32_t num_candidates, const Search& search) {
  KEYSIEVE_UNROLL_BY_4
  for (std::int32_t i = simt::thread_index(); i < num_candidates; i += simt::block_threads()) {
    const Composite candidate = block.candidates[i];
    if (search.covers(candidate)) simt::atomic_add(&block.bins[search.bin(candidate)], 1);
  }
}

struct FoundBin {
  std::uint32_t bin;
  std::uint32_t above;  // candidates in higher bins
  std::uint32_t count;  // candidates in this one
};

// The bin, counted from the top, that holds the `wanted`-th. All lanes of a warp.
KEYSIEVE_DEVICE FoundBin find_bin(const std::uint32_t* bins, std::uint32_t wanted) {
  constexpr int kLaneBins = kSelectBins / simt::kWarpLanes;
  constexpr int kLaneVectors = kLaneBins / 4;
  const int lane = simt::lane_index();
  const int first = kSelectBins - (lane + 1) * kLaneBins;
  std::uint32_t sum = 0;
  KEYSIEVE_UNROLL
  for (int i = 0; i < kLaneVectors; ++i) {
    // Lanes take their vectors in different order, so that those of a step lie in different banks.
    const int vector = first / 4 + (i + lane / 2) % kLaneVectors;
    const simt::Vector four = reinterpret_cast<const simt::Vector*>(bins)[vector];
    sum += four.words[0] + four.words[1] + four.words[2] + four.words[3];
  }
  const std::uint32_t reached = warp_inclusive_sum(sum);
  const std::uint32_t enough = simt::warp_ballot(reached >= wanted);
  const int holder = enough != 0 ? simt::lowest_bit(enough) : simt::kWarpLanes - 1;
  const std::uint32_t above_holder = simt::shuffle(reached - sum, holder);
  // The holder's bins, one a lane.
  const std::uint32_t bin = static_cast<std::uint32_t>(kSelectBins - 1 - holder * kLaneBins - lane);
  const std::uint32_t here = lane < kLaneBins ? bins[bin] : 0;
  const std::uint32_t reached_here = above_holder + warp_inclusive_sum(here);
  const std::uint32_t enough_here = simt::warp_ballot(lane < kLaneBins && reached_here >= wanted);
  const int found = enough_here != 0 ? simt::lowest_bit(enough_here) : kLaneBins - 1;
  return {simt::shuffle(bin, found), simt::shuffle(reached_here - here, found), simt::shuffle(here, found)};
}

// The candidates of one bin, spread over bins of their own. All threads; starts with a barrier, one must follow.
KEYSIEVE_DEVICE Search refine(const Block& block, std::int32_t num_candidates, const Search& search,
                              std::uint32_t bin) {
  BlockState* state = block.state;
  if (simt::thread_index() == 0) {
    state->lowest_in_bin = state->lowest_rank_in_bin = 0xFFFFFFFFu;
    state->highest_in_bin = state->highest_rank_in_bin = 0;
  }
  simt::sync_block();
  Key lowest = 0xFFFFFFFFu, highest = 0;
  std::uint32_t lowest_rank = 0xFFFFFFFFu, highest_rank = 0;
  KEYSIEVE_NO_UNROLL
  for (std::int32_t i = simt::thread_index(); i < num_candidates; i += simt::block_threads()) {
    const Composite candidate = block.candidates[i];
    if (!search.is_in_bin(candidate, bin)) continue;
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
  const Search next =
      by_rank ? Search{make_composite(lowest, lowest_rank), make_composite(lowest, highest_rank),
                       Bins(lowest_rank, highest_rank), true}
              : Search{make_composite(lowest, 0), make_composite(highest, 0xFFFFFFFFu), Bins(lowest, highest), false};
  count_in_bins(block, num_candidates, next);
  return next;
}

// The `wanted`-th largest of the candidates at the boundary. All lanes of a warp; every warp for itself.
KEYSIEVE_DEVICE Composite nth_of_boundary(const Block& block, std::uint32_t wanted) {
  const auto count = static_cast<int>(block.state->num_boundary);
  Composite nth = 0;
  KEYSIEVE_NO_UNROLL
  for (int first = 0; first < count; first += simt::kWarpLanes) {
    const int i = first + simt::lane_index();
    const Composite mine = i < count ? block.boundary[i] : 0;
    std::uint32_t larger = 0;
    KEYSIEVE_UNROLL_BY_4
    for (int j = 0; j < count; ++j) larger += block.boundary[j] > mine ? 1u : 0u;
    const std::uint32_t holder = simt::warp_ballot(i < count && larger == wanted - 1);
    if (holder != 0) nth = simt::shuffle(mine, simt::lowest_bit(holder));
  }
  return nth;
}

// The k-th largest of the candidates, or 0 where there are no more than k. The bins hold a histogram of `search`, or
// nothing if nothing is known and so nothing has been `counted`, nor where there are no more than k. All threads, no
// barrier being needed before; the result is the same in all of them, and every candidate is visible then. Leaves the
// bins zero, behind the next barrier.
KEYSIEVE_DEVICE Composite select_within(const Block& block, std::int32_t num_candidates, std::int32_t k, Search search,
                                        bool counted) {
  if (num_candidates <= k) {
    simt::sync_block();
    return 0;
  }
  auto wanted = static_cast<std::uint32_t>(k);
  std::uint32_t bin = 0;
  if (simt::thread_index() == 0) block.state->num_boundary = 0;
  KEYSIEVE_NO_UNROLL
  while (true) {
    if (counted) {
      simt::sync_block();
      const FoundBin found = find_bin(block.bins, wanted);
      bin = found.bin;
      wanted -= found.above;
      if (found.count <= static_cast<std::uint32_t>(kMaxBoundary)) break;
    }
    search = refine(block, num_candidates, search, bin);
    counted = true;
  }
  KEYSIEVE_UNROLL_BY_4
  for (std::int32_t i = simt::thread_index(); i < num_candidates; i += simt::block_threads()) {
    const Composite candidate = block.candidates[i];
    if (search.is_in_bin(candidate, bin)) {
      block.boundary[simt::atomic_add(&block.state->num_boundary, 1)] = candidate;
    }
  }
  simt::sync_block();
  block.clear_bins();
  return nth_of_boundary(block, wanted);
}

// The same where nothing is known about the candidates.
KEYSIEVE_DEVICE Composite block_select(const Block& block, std::int32_t num_candidates, std::int32_t k) {
  return select_within(block, num_candidates, k, search_keys(false, 0, 0), false);
}

}  // namespace keysieve

// The first cutoff of a row: from a sample of its vectors, or from the caller's hint.
//
// A sampled vector counts as one observation, its best column. If a share p of the columns is to be taken, a vector of
// g columns shows one with probability q = 1 - (1-p)^g, so of S observations about S q lie above the wanted cutoff;
// taking the one of rank S q + 4 sqrt(S q (1-q)) leaves fewer than k columns about once in 30,000 rows. Where p is
// so large that nearly every vector shows one, the first column alone is observed (g = 1). Columns that
// resemble their neighbours make the true share smaller than assumed, which errs on the safe side: too low a cutoff
// costs buffer space, too high a one a second read.
//
// The rank is found without sorting: every group of 32 observations proposes its own j-th best, j chosen so that each
// proposal has about the wanted rank, and all proposals are counted against all observations. The one with the smallest
// rank that suffices is taken. Two barriers; the tie-breaking rank is part of an observation, so plateaus are nothing
// special.
#pragma once

#include "cuda/block/block.hpp"
#include "cuda/block/limits.hpp"
#include "cuda/block/row_vectors.hpp"
#include "cuda/block/sample_positions.hpp"

namespace keysieve {

struct SampleRank {
  std::int32_t lowest;  // at least so many observations at or above the cutoff
  bool single_column;   // observe one column of each vector
};

// share: k / n.
KEYSIEVE_DEVICE SampleRank sample_rank(float share, int columns, std::int32_t samples) {
  SampleRank rank;
  rank.single_column = share > 0.125f;
  float miss = 1.f - share;
  if (!rank.single_column) {
    for (int c = 1; c < columns; c *= 2) miss *= miss;
  }
  const float expected = static_cast<float>(samples) * (1.f - miss);
  const auto lowest = static_cast<std::int32_t>(expected + 4.f * simt::approximate_root(expected * miss)) + 2;
  rank.lowest = lowest < samples ? lowest : samples;
  return rank;
}

// How many of the 32 composites at `group` come before the caller's lane's, which is one of them: equal ones by lane.
KEYSIEVE_DEVICE std::int32_t rank_in_group(const Composite* group, Composite mine) {
  const int lane = simt::lane_index();
  std::int32_t before = 0;
  KEYSIEVE_UNROLL_BY_4
  for (int i = 0; i < simt::kWarpLanes; ++i) {
    const Composite other = group[i];
    before += other > mine || (other == mine && i < lane) ? 1 : 0;
  }
  return before;
}

// Whether the caller's lane holds the `which`-th largest of the warp's composites (`group` in shared memory). A few
// maxima are cheaper than comparing all with all, many are not.
KEYSIEVE_DEVICE bool holds_kth_largest(const Composite* group, Composite mine, std::int32_t which) {
  constexpr std::int32_t kMostMaxima = 3;
  if (which > kMostMaxima) return rank_in_group(group, mine) == which - 1;
  bool left = true;
  bool holds = false;
  KEYSIEVE_NO_UNROLL
  for (std::int32_t i = 0; i < which; ++i) {
    const Key key = simt::warp_max(left ? key_of(mine) : 0);
    const bool is_best = left && key_of(mine) == key;
    const std::uint32_t rank = simt::warp_max(is_best ? rank_of(mine) : 0);
    const std::uint32_t holders = simt::warp_ballot(is_best && rank_of(mine) == rank);
    holds = holders != 0 && simt::lane_index() == simt::lowest_bit(holders);
    if (holds) left = false;
  }
  return holds;
}

// The best key of an observation; kKeyPadding where nothing of it is live.
template <typename Format>
KEYSIEVE_DEVICE Key best_key(const simt::Vector& vector, std::uint32_t live, bool single_column, Key nan_key) {
  if (single_column) live &= ~live + 1;  // the lowest live column
  Key best = kKeyPadding;
  KEYSIEVE_UNROLL
  for (int column = 0; column < kVectorColumns<Format>; ++column) {
    const Key key = ordered_key<Format>(column_bits<Format>(vector, column), nan_key);
    if (((live >> column) & 1) != 0 && key > best) best = key;
  }
  return best;
}

// Whether a row is worth a sample: not where most of it is taken anyway.
KEYSIEVE_DEVICE bool is_worth_sampling(const Block& block, std::int32_t length) {
  return length > 1024 && length / 2 > block.k;
}

// All threads of the block: sets state.cutoff from a sample of the row. Ends with a barrier.
template <typename Format, typename Row>
KEYSIEVE_DEVICE void set_sampled_cutoff(const Block& block, const Row& row, std::int32_t samples) {
  const RowVectors<Format>& vectors = row.vectors();
  const float share = simt::approximate_quotient(static_cast<float>(block.k), static_cast<float>(vectors.length()));
  const SampleRank rank = sample_rank(share, kVectorColumns<Format>, samples);
  const int log2_samples = 63 - simt::leading_zeros(static_cast<std::uint64_t>(samples));
  const std::int32_t groups = samples / simt::kWarpLanes;
  const std::int32_t which = (rank.lowest + groups - 1) / groups;
  auto* observations = reinterpret_cast<Composite*>(block.bins);
  auto* proposals = block.candidates;  // of each group; the buffer is still empty
  const int lane = simt::lane_index();
  KEYSIEVE_NO_UNROLL
  for (std::int32_t sample = simt::thread_index(); sample < samples; sample += simt::block_threads()) {
    const std::int32_t vector = sample_vector(sample, vectors.num_vectors(), log2_samples);
    const Key key = best_key<Format>(row.load(vector), vectors.live_columns(vector), rank.single_column, block.nan_key);
    const Composite mine = make_composite(key, block.ties.rank(vector / Row::kChunkVectors));
    observations[sample] = mine;
    simt::sync_warp();
    const std::int32_t group = sample / simt::kWarpLanes;
    if (holds_kth_largest(observations + group * simt::kWarpLanes, mine, which)) proposals[group] = mine;
  }
  simt::sync_block();
  KEYSIEVE_NO_UNROLL
  for (std::int32_t group = simt::warp_index(); group < groups; group += simt::block_warps()) {
    const Composite proposal = proposals[group];
    std::uint32_t reached = 0;
    KEYSIEVE_UNROLL_BY_4
    for (std::int32_t sample = lane; sample < samples; sample += simt::kWarpLanes) {
      reached += observations[sample] >= proposal ? 1u : 0u;
    }
    reached = simt::warp_sum(reached);
    if (lane == 0) block.partials[group] = reached;
  }
  simt::sync_block();
  if (simt::warp_index() == 0) {
    const std::uint32_t reached = lane < groups ? block.partials[lane] : 0;
    const bool enough = static_cast<std::int32_t>(reached) >= rank.lowest;
    const std::uint32_t least =
        simt::warp_min(enough ? reached * simt::kWarpLanes + static_cast<unsigned>(lane) : 0xFFFFFFFFu);
    // The lowest proposal always reaches the rank: each group has `which` members at or above it.
    if (lane == 0 && least != 0xFFFFFFFFu) {
      const Composite proposal = proposals[least % simt::kWarpLanes];
      if (key_of(proposal) >= block.floor.key) block.state->cutoff = {key_of(proposal), rank_of(proposal)};
    }
  }
  simt::sync_block();
}

// The cutoff that a hint stands for: a little lower than it says. False where it says nothing.
template <typename Format>
KEYSIEVE_DEVICE bool cutoff_of_hint(const Block& block, typename Format::Bits hint, Cutoff& cutoff) {
  if (is_nan<Format>(hint)) return false;
  const Key key = number_key<Format>(hint);
  if (key <= kKeyNegativeInfinity<Format> + kHintMargin<Format>) return false;
  cutoff.key = key - kHintMargin<Format>;
  cutoff.chunk_rank = 0;
  return cutoff.key > block.floor.key;
}

}  // namespace keysieve

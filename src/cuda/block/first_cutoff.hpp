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
// rank that suffices is taken. Two barriers. Where many observations share the key of the cutoff (a plateau), they are
// told apart by where they lie.
#pragma once

#include "cuda/block/block.hpp"
#include "cuda/block/block_scan.hpp"
#include "cuda/block/limits.hpp"
#include "cuda/block/row_vectors.hpp"
#include "cuda/block/sample_positions.hpp"

namespace keysieve {

struct SampleRank {
  std::int32_t lowest;  // at least so many observations at or above the cutoff
  bool single_column;   // observe one column of each vector
};

// share: k / n. One column of a vector where nearly every vector shows a column that is to be taken.
KEYSIEVE_DEVICE SampleRank sample_rank(float share, int columns, std::int32_t samples) {
  constexpr float kLeastMisses = 0.15f;
  SampleRank rank;
  float miss = 1.f - share;
  for (int c = 1; c < columns; c *= 2) miss *= miss;
  rank.single_column = miss < kLeastMisses;
  if (rank.single_column) miss = 1.f - share;
  const float expected = static_cast<float>(samples) * (1.f - miss);
  const auto lowest = static_cast<std::int32_t>(expected + 4.f * simt::approximate_root(expected * miss)) + 2;
  rank.lowest = lowest < samples ? lowest : samples;
  return rank;
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

inline constexpr int kMaxSampleGroups = kMaxSamples / kWarpThreads;

// What the search for the cutoff needs, in the candidate buffer, which is still empty.
struct SampleArea {
  Key* observations;
  Key* proposals;          // one a group of 32 observations
  std::uint32_t* reached;  // observations at or above each of them

  KEYSIEVE_DEVICE SampleArea(const Block& block, std::int32_t samples)
      : observations(reinterpret_cast<Key*>(block.candidates)),
        proposals(observations + samples),
        reached(proposals + kMaxSampleGroups) {}
};

// The `which`-th largest of the warp's keys, one a lane and all of them at `group`; equal ones count each.
KEYSIEVE_DEVICE Key nth_of_warp(const Key* group, Key mine, std::int32_t which) {
  std::int32_t above = 0;
  // All at once would take registers from the loads of the row that are under way.
  KEYSIEVE_UNROLL_BY_4
  for (int i = 0; i < simt::kWarpLanes / 4; ++i) {
    const simt::Vector four = reinterpret_cast<const simt::Vector*>(group)[i];
    KEYSIEVE_UNROLL
    for (int j = 0; j < 4; ++j) above += four.words[j] > mine ? 1 : 0;
  }
  return simt::warp_min(above < which ? mine : 0xFFFFFFFFu);
}

// Counts the observations of a group that reach each proposal; a lane looks at half of them for one proposal.
KEYSIEVE_DEVICE void count_reached(const SampleArea& area, const Key* group, std::int32_t groups) {
  const int lane = simt::lane_index();
  const int proposal = lane % kMaxSampleGroups;
  const Key key = proposal < groups ? area.proposals[proposal] : 0xFFFFFFFFu;
  const Key* half = group + lane / kMaxSampleGroups * (simt::kWarpLanes / 2);
  std::uint32_t reached = 0;
  KEYSIEVE_UNROLL
  for (int i = 0; i < simt::kWarpLanes / 8; ++i) {
    const simt::Vector four = reinterpret_cast<const simt::Vector*>(half)[i];
    KEYSIEVE_UNROLL
    for (int j = 0; j < 4; ++j) reached += four.words[j] >= key ? 1u : 0u;
  }
  reached += simt::shuffle_xor(reached, kMaxSampleGroups);
  if (lane < groups) simt::atomic_add(&area.reached[lane], reached);
}

// Where many columns share the key of the cutoff: the chunk rank from which on they are taken. Looks at the sampled
// vectors again and counts columns, not vectors: whole vectors are alike there. `share`: k / n. All threads, none of
// which reads the observations any more.
template <typename Format, typename Row>
KEYSIEVE_DEVICE std::uint32_t chunk_rank_of_plateau(const Block& block, const Row& row, const SampleArea& area, Key key,
                                                    std::int32_t samples, float share) {
  constexpr int kColumns = kVectorColumns<Format>;
  const RowVectors<Format>& vectors = row.vectors();
  const int log2_samples = 63 - simt::leading_zeros(static_cast<std::uint64_t>(samples));
  const int lane = simt::lane_index();
  std::uint32_t* counts = area.observations;  // columns above in the upper half, equal ones in the lower
  KEYSIEVE_NO_UNROLL
  for (std::int32_t sample = simt::thread_index(); sample < samples; sample += simt::block_threads()) {
    const std::int32_t vector = sample_vector(sample, vectors.num_vectors(), log2_samples);
    const simt::Vector scores = row.load(vector);
    const std::uint32_t live = vectors.live_columns(vector);
    std::uint32_t count = 0;
    KEYSIEVE_UNROLL
    for (int column = 0; column < kColumns; ++column) {
      const Key other = ordered_key<Format>(column_bits<Format>(scores, column), block.nan_key);
      if (((live >> column) & 1) != 0) count += other > key ? 0x10000u : (other == key ? 1u : 0u);
    }
    counts[sample] = count;
  }
  simt::sync_block();
  // The sample is in the order of the row: equal columns are counted off from the end that wins ties.
  const bool smallest_first = block.ties.flip != 0;
  const auto sample_at = [&](std::int32_t place) { return smallest_first ? place : samples - 1 - place; };
  const std::int32_t lane_samples = samples / simt::kWarpLanes;
  std::uint32_t sum = 0;
  KEYSIEVE_NO_UNROLL
  for (std::int32_t i = 0; i < lane_samples; ++i) sum += counts[sample_at(lane * lane_samples + i)];
  const float expected = static_cast<float>(samples * kColumns) * share;
  const float spread = simt::approximate_root(expected * static_cast<float>(kColumns) * (1.f - share));
  const auto lowest = static_cast<std::int32_t>(expected + 4.f * spread) + 2 * kColumns;
  const std::int32_t wanted = lowest - static_cast<std::int32_t>(simt::warp_sum(sum >> 16));
  const auto equal = static_cast<std::int32_t>(sum & 0xFFFF);
  const auto reached = static_cast<std::int32_t>(warp_inclusive_sum(sum & 0xFFFF));
  std::uint32_t rank = 0;  // the last chunk too, if all of them are wanted
  if (reached >= wanted && reached - equal < wanted) {
    std::int32_t place = lane * lane_samples;
    std::int32_t count = reached - equal;
    KEYSIEVE_NO_UNROLL
    while (true) {
      count += static_cast<std::int32_t>(counts[sample_at(place)] & 0xFFFF);
      if (count >= wanted) break;
      ++place;
    }
    rank = block.ties.rank(sample_vector(sample_at(place), vectors.num_vectors(), log2_samples) / Row::kChunkVectors);
  }
  return simt::warp_max(rank);
}

// All threads of the block: the cutoff that a sample of the row gives, the floor where it gives none; the same in all
// threads. Sets state.highest_key. The sample lies in the candidate buffer: a barrier must follow before it is used.
template <typename Format, typename Row>
KEYSIEVE_DEVICE Cutoff sampled_cutoff(const Block& block, const Row& row, std::int32_t samples) {
  const RowVectors<Format>& vectors = row.vectors();
  const float share = simt::approximate_quotient(static_cast<float>(block.k), static_cast<float>(vectors.length()));
  const SampleRank rank = sample_rank(share, kVectorColumns<Format>, samples);
  const int log2_samples = 63 - simt::leading_zeros(static_cast<std::uint64_t>(samples));
  const std::int32_t groups = samples / simt::kWarpLanes;
  const std::int32_t which = (rank.lowest + groups - 1) / groups;
  const SampleArea area(block, samples);
  const int lane = simt::lane_index();
  if (simt::thread_index() < groups) area.reached[simt::thread_index()] = 0;
  KEYSIEVE_NO_UNROLL
  for (std::int32_t group = simt::warp_index(); group < groups; group += simt::block_warps()) {
    const std::int32_t sample = group * simt::kWarpLanes + lane;
    const std::int32_t vector = sample_vector(sample, vectors.num_vectors(), log2_samples);
    const Key key = best_key<Format>(row.load(vector), vectors.live_columns(vector), rank.single_column, block.nan_key);
    area.observations[sample] = key;
    simt::sync_warp();
    const Key proposal = nth_of_warp(area.observations + group * simt::kWarpLanes, key, which);
    const Key highest = simt::warp_max(key);
    if (lane == 0) {
      area.proposals[group] = proposal;
      simt::atomic_max(&block.state->highest_key, highest);
    }
  }
  simt::sync_block();
  KEYSIEVE_NO_UNROLL
  for (std::int32_t group = simt::warp_index(); group < groups; group += simt::block_warps()) {
    count_reached(area, area.observations + group * simt::kWarpLanes, groups);
  }
  simt::sync_block();
  // The lowest proposal always reaches the rank: each group has `which` members at or above it.
  const Key proposal = lane < groups ? area.proposals[lane] : 0;
  const std::uint32_t reached = lane < groups ? area.reached[lane] : 0;
  const Key key = simt::warp_max(static_cast<std::int32_t>(reached) >= rank.lowest ? proposal : 0);
  if (key < block.floor.key) return block.floor;
  const auto reached_key = static_cast<std::int32_t>(simt::warp_max(proposal == key ? reached : 0));
  Cutoff cutoff{key, 0};
  const std::int32_t rest = samples - rank.lowest;
  const std::int32_t usual_excess = (rank.lowest < rest ? rank.lowest : rest) / 4 + samples / 64;
  if (reached_key > rank.lowest + usual_excess) {
    cutoff.chunk_rank = chunk_rank_of_plateau<Format>(block, row, area, key, samples, share);
  }
  return cutoff;
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

// The first cutoff of a row: from a sample of its vectors, or from the caller's hint.
//
// A sampled vector, or several of them, count as one observation: their best column. If a share p of the columns is to
// be taken, an observation of g columns shows one with probability q = 1 - (1-p)^g, so of S observations about S q lie
// above the wanted cutoff; taking the one of rank S q + 4 sqrt(S q (1-q)) leaves fewer than k columns about once in
// 30,000 rows. Where p is so large that nearly every vector shows one, the first column alone is observed (g = 1).
// Columns that resemble their neighbours make the true share smaller than assumed, which errs on the safe side: too low
// a cutoff costs buffer space, too high a one a second read.
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

// Vectors of an observation, at most, where few columns are to be taken. More columns tell more: of 131,072 columns the
// cutoff for 512 takes 1130 with two vectors and 1390 with one, both from 512 observations. Two share a sector of
// memory, so that the second comes with the first; four take a second one, which only long rows are worth.
inline constexpr int kMaxObservedVectors = 4;

struct SampleRank {
  std::int32_t lowest;  // at least so many observations at or above the cutoff
  int vectors;          // of an observation
  bool single_column;   // the first of its only vector
};

// share: k / n. One column of a vector where nearly every vector shows a column that is to be taken; several vectors
// where few do.
KEYSIEVE_DEVICE SampleRank sample_rank(float share, int vector_columns, std::int32_t samples,
                                       std::int32_t num_vectors) {
  constexpr float kLeastMisses = 0.15f;
  constexpr float kMostWideHits = 0.25f;
  SampleRank rank;
  float miss = 1.f - share;
  for (int c = 1; c < vector_columns; c *= 2) miss *= miss;
  rank.single_column = miss < kLeastMisses;
  if (rank.single_column) miss = 1.f - share;
  // Winners that keep their distance, as in a periodic row, show in more observations than chance would have it: in
  // g p of them at most. Assumed where that is near the other number, and where observations share no vectors.
  rank.vectors = 1;
  const float hits = share * static_cast<float>(vector_columns);
  while (rank.vectors < kMaxObservedVectors && static_cast<float>(2 * rank.vectors) * hits <= kMostWideHits &&
         num_vectors >= (rank.vectors == 1 ? 4 : 64) * samples) {
    rank.vectors *= 2;
    miss = 1.f - static_cast<float>(rank.vectors) * hits;
  }
  const float expected = static_cast<float>(samples) * (1.f - miss);
  const auto lowest = static_cast<std::int32_t>(expected + 4.f * simt::approximate_root(expected * miss)) + 2;
  rank.lowest = lowest < samples ? lowest : samples;
  return rank;
}

// The first of `run` sampled vectors that lie wholly inside the window, as nearly all vectors do: the few columns at
// the ends of a row do not decide where its cutoff lies.
template <typename Format>
KEYSIEVE_DEVICE std::int32_t interior_sample(const RowVectors<Format>& vectors, std::int32_t sample, int log2_samples,
                                             int run = 1) {
  const std::int32_t vector = sample_vector(sample, vectors.num_vectors(), log2_samples);
  const std::int32_t last = vectors.end_interior() - run;
  const std::int32_t inside = vector > vectors.first_interior() ? vector : vectors.first_interior();
  return inside < last ? inside : last;
}

// The columns of an observation: the best of each place of a vector. Its vectors are neighbours: spread over the row,
// they would show more than assumed where the winners lie together, and the cutoff would come out too high.
template <typename Format, typename Row>
KEYSIEVE_DEVICE simt::Vector observe(const Row& row, const SampleRank& rank, std::int32_t sample, int log2_samples) {
  std::int32_t vector = interior_sample(row.vectors(), sample, log2_samples, rank.vectors);
  if (rank.vectors > 1 && vector > row.vectors().first_interior()) vector -= row.vectors().place_in_sector(vector);
  simt::Vector scores[kMaxObservedVectors] = {};
  KEYSIEVE_UNROLL
  for (int i = 0; i < kMaxObservedVectors; ++i) {
    if (i < rank.vectors) scores[i] = row.load_interior(vector + i);
  }
  KEYSIEVE_UNROLL
  for (int i = 1; i < kMaxObservedVectors; ++i) {
    if (i < rank.vectors) scores[0] = best_of_columns<Format>(scores[0], scores[i]);
  }
  return scores[0];
}

// Whether a row is worth a sample: not where most of it is taken anyway.
KEYSIEVE_DEVICE bool is_worth_sampling(const Block& block, std::int32_t length) {
  return length > 1024 && length / 2 > block.k;
}

// What the search for the cutoff needs, in the candidate buffer, which is still empty.
struct SampleArea {
  Key* observations;
  Key* proposals;          // one a group of 32 observations
  std::uint32_t* reached;  // observations at or above each of them
  std::uint32_t* columns;  // on a plateau: a group's columns above it and on it

  KEYSIEVE_DEVICE SampleArea(const Block& block, std::int32_t samples)
      : observations(reinterpret_cast<Key*>(block.candidates)),
        proposals(observations + samples),
        reached(proposals + kMaxSampleGroups),
        columns(reached + kMaxSampleGroups) {}
};

// The `which`-th largest of the warp's keys, one a lane and all of them at `group`; equal ones count each.
KEYSIEVE_DEVICE Key nth_of_warp(const Key* group, Key mine, std::int32_t which) {
  simt::Vector not_above{};  // four sums, so that no addition waits for the one before
  KEYSIEVE_UNROLL_BY_4       // all at once would take registers from the loads of the row that are under way
      for (int i = 0; i < simt::kWarpLanes / 4; ++i) {
    const simt::Vector four = reinterpret_cast<const simt::Vector*>(group)[i];
    KEYSIEVE_UNROLL
    for (int j = 0; j < 4; ++j) not_above.words[j] = simt::uncount_if_above(not_above.words[j], four.words[j], mine);
  }
  const std::uint32_t above = 0u - (not_above.words[0] + not_above.words[1] + not_above.words[2] + not_above.words[3]);
  return simt::warp_min(static_cast<std::int32_t>(above) < which ? mine : 0xFFFFFFFFu);
}

// Counts the observations of a group that reach each proposal; a lane looks at half of them for one proposal.
KEYSIEVE_DEVICE void count_reached(const SampleArea& area, const Key* group, std::int32_t groups) {
  const int lane = simt::lane_index();
  const int proposal = lane % kMaxSampleGroups;
  const Key key = proposal < groups ? area.proposals[proposal] : 0xFFFFFFFFu;
  const Key* half = group + lane / kMaxSampleGroups * (simt::kWarpLanes / 2);
  simt::Vector missed{};
  KEYSIEVE_UNROLL
  for (int i = 0; i < simt::kWarpLanes / 8; ++i) {
    const simt::Vector four = reinterpret_cast<const simt::Vector*>(half)[i];
    KEYSIEVE_UNROLL
    for (int j = 0; j < 4; ++j) missed.words[j] = simt::uncount_if_above(missed.words[j], key, four.words[j]);
  }
  std::uint32_t reached =
      simt::kWarpLanes / 2 + (missed.words[0] + missed.words[1] + missed.words[2] + missed.words[3]);
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
  const std::int32_t groups = samples / simt::kWarpLanes;
  const int lane = simt::lane_index();
  std::uint32_t* counts = area.observations;  // columns above in the upper half, equal ones in the lower
  KEYSIEVE_NO_UNROLL
  for (std::int32_t group = simt::warp_index(); group < groups; group += simt::block_warps()) {
    const std::int32_t sample = group * simt::kWarpLanes + lane;
    const simt::Vector scores = row.load_interior(interior_sample(vectors, sample, log2_samples));
    std::uint32_t count = 0;
    KEYSIEVE_UNROLL
    for (int column = 0; column < kColumns; ++column) {
      const Key other = ordered_key<Format>(column_bits<Format>(scores, column), block.nan_key);
      count += other > key ? 0x10000u : (other == key ? 1u : 0u);
    }
    counts[sample] = count;
    const std::uint32_t of_group = simt::warp_sum(count);
    if (lane == 0) area.columns[group] = of_group;
  }
  simt::sync_block();
  // The sample is in the order of the row: equal columns are counted off from the end that wins ties.
  const bool smallest_first = block.ties.flip != 0;
  const auto in_tie_order = [&](std::int32_t place, std::int32_t places) {
    return smallest_first ? place : places - 1 - place;
  };
  const std::uint32_t of_group = lane < groups ? area.columns[in_tie_order(lane, groups)] : 0;
  const float expected = static_cast<float>(samples * kColumns) * share;
  const float spread = simt::approximate_root(expected * static_cast<float>(kColumns) * (1.f - share));
  const auto lowest = static_cast<std::int32_t>(expected + 4.f * spread) + 2 * kColumns;
  const std::int32_t wanted = lowest - static_cast<std::int32_t>(simt::warp_sum(of_group >> 16));
  const auto reached = static_cast<std::int32_t>(warp_inclusive_sum(of_group & 0xFFFF));
  const std::uint32_t enough = simt::warp_ballot(reached >= wanted);
  if (enough == 0) return 0;  // the last chunk too, if all of them are wanted
  const int place = simt::lowest_bit(enough);
  const std::int32_t in_front = simt::shuffle(reached - static_cast<std::int32_t>(of_group & 0xFFFF), place);
  const std::int32_t sample = in_tie_order(place, groups) * simt::kWarpLanes + in_tie_order(lane, simt::kWarpLanes);
  const auto of_lane = static_cast<std::int32_t>(warp_inclusive_sum(counts[sample] & 0xFFFF));
  const std::uint32_t enough_here = simt::warp_ballot(in_front + of_lane >= wanted);
  const std::int32_t last = simt::shuffle(sample, simt::lowest_bit(enough_here));
  const auto vector = static_cast<std::uint32_t>(interior_sample(vectors, last, log2_samples));
  return block.ties.rank(vector / Row::kChunkVectors);
}

// All threads of the block: the cutoff that a sample of the row gives, the floor where it gives none; the same in all
// threads. Sets state.highest_key. The sample lies in the candidate buffer: a barrier must follow before it is used.
template <typename Format, typename Row>
KEYSIEVE_DEVICE Cutoff sampled_cutoff(const Block& block, const Row& row, std::int32_t samples) {
  const RowVectors<Format>& vectors = row.vectors();
  const float share = simt::approximate_quotient(static_cast<float>(block.k), static_cast<float>(vectors.length()));
  const SampleRank rank = sample_rank(share, kVectorColumns<Format>, samples, vectors.num_vectors());
  const int log2_samples = 63 - simt::leading_zeros(static_cast<std::uint64_t>(samples));
  const std::int32_t groups = samples / simt::kWarpLanes;
  const std::int32_t which = (rank.lowest + groups - 1) >> (log2_samples - kLog2WarpThreads);  // groups: a power of two
  const SampleArea area(block, samples);
  const int lane = simt::lane_index();
  if (simt::thread_index() < groups) area.reached[simt::thread_index()] = 0;
  KEYSIEVE_NO_UNROLL
  for (std::int32_t group = simt::warp_index(); group < groups; group += simt::block_warps()) {
    const std::int32_t sample = group * simt::kWarpLanes + lane;
    const simt::Vector scores = observe<Format>(row, rank, sample, log2_samples);
    const auto best = rank.single_column ? column_bits<Format>(scores, 0) : best_bits<Format>(scores);
    const Key key = ordered_key<Format>(best, block.nan_key);
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
  const bool is_cutoff = lane < groups && proposal == key;
  const auto reached_key = static_cast<std::int32_t>(simt::warp_max(is_cutoff ? reached : 0));
  Cutoff cutoff{key, 0};
  const std::int32_t rest = samples - rank.lowest;
  const std::int32_t usual_excess = (rank.lowest < rest ? rank.lowest : rest) / 4 + samples / 64;
  // On a plateau many groups propose the same.
  const std::int32_t same = simt::count_ones(simt::warp_ballot(is_cutoff));
  if (reached_key > rank.lowest + usual_excess && 4 * same >= groups && same > 1) {
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

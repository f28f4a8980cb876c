// The first cutoff of a row: from a sample of its vectors, or from the caller's hint.
//
// A sampled vector counts as one observation, its best column. If a share p of the columns is to be taken, a vector of
// g columns shows one with probability q = 1 - (1-p)^g, so of S observations about S q lie above the wanted cutoff;
// taking the one of rank S q + 5 sqrt(S q (1-q)) leaves fewer than k columns about once in a million rows. Where p is
// so large that nearly every vector shows one, the first column alone is observed (g = 1). Columns that
// resemble their neighbours make the true share smaller than assumed, which errs on the safe side: too low a cutoff
// costs buffer space, too high a one a second read.
//
// The rank is found by bisection, every thread holding one or two observations: a step is a compare and a counting
// barrier. Any value between two ranks serves, so it ends after about 13 steps; a histogram would cost more to clear.
#pragma once

#include <cmath>

#include "cuda/block/block.hpp"
#include "cuda/block/limits.hpp"
#include "cuda/block/row_vectors.hpp"
#include "cuda/block/sample_positions.hpp"

namespace keysieve {

struct SampleRank {
  std::int32_t lowest;  // at least so many observations at or above the cutoff
  std::int32_t highest;
  bool single_column;  // observe one column of each vector
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
  const auto lowest = static_cast<std::int32_t>(expected + 5.f * sqrtf(expected * miss)) + 2;
  rank.lowest = lowest < samples ? lowest : samples;
  rank.highest = rank.lowest + rank.lowest / 8;
  return rank;
}

// The largest number that at least `rank.lowest` observations reach, or a smaller one that at most `rank.highest`
// reach. at_or_above(x): how many do. All threads get the same counts and so take the same steps.
template <typename AtOrAbove>
KEYSIEVE_DEVICE std::uint32_t bisect(const SampleRank& rank, const AtOrAbove& at_or_above) {
  std::uint32_t low = 0;
  std::uint32_t high = 0xFFFFFFFFu;
  KEYSIEVE_NO_UNROLL
  while (low < high) {
    // The first step splits keys at +0, the second at 2.0: close to where scores are.
    const std::uint32_t middle = low + (high - low) / 2 + 1;
    const std::int32_t reached = at_or_above(middle);
    if (reached >= rank.lowest) {
      low = middle;
      if (reached <= rank.highest) break;
    } else {
      high = middle - 1;
    }
  }
  return low;
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
  constexpr int kMostPerThread = 2;
  const RowVectors<Format>& vectors = row.vectors();
  const SampleRank rank =
      sample_rank(static_cast<float>(block.k) / static_cast<float>(vectors.length()), kVectorColumns<Format>, samples);
  int log2_samples = 0;
  while ((1 << log2_samples) < samples) ++log2_samples;
  Key keys[kMostPerThread];
  std::uint32_t ranks[kMostPerThread];
  KEYSIEVE_UNROLL
  for (int i = 0; i < kMostPerThread; ++i) {
    const std::int32_t sample = simt::thread_index() + i * simt::block_threads();
    keys[i] = kKeyPadding;
    ranks[i] = 0;
    if (sample >= samples) continue;
    const std::int32_t vector = sample_vector(sample, vectors.num_vectors(), log2_samples);
    keys[i] = best_key<Format>(row.load(vector), vectors.live_columns(vector), rank.single_column, block.nan_key);
    ranks[i] = block.ties.rank(vector / Row::kChunkVectors);
  }
  const bool two = samples > simt::block_threads();
  const auto count = [&](const auto& reaches) {
    std::int32_t reached = simt::sync_block_count(reaches(0));
    if (two) reached += simt::sync_block_count(reaches(1));
    return reached;
  };
  Cutoff cutoff;
  std::int32_t reached = 0;
  cutoff.key = bisect(rank, [&](Key key) {
    const std::int32_t at_or_above = count([&](int i) { return keys[i] >= key; });
    if (at_or_above >= rank.lowest) reached = at_or_above;
    return at_or_above;
  });
  if (cutoff.key != 0 && reached > rank.highest) {
    // A plateau: only some of the equal keys are wanted, those that win ties.
    cutoff.chunk_rank = bisect(rank, [&](std::uint32_t chunk_rank) {
      return count([&](int i) { return keys[i] > cutoff.key || (keys[i] == cutoff.key && ranks[i] >= chunk_rank); });
    });
  }
  if (simt::thread_index() == 0 && cutoff.key >= block.floor.key) block.state->cutoff = cutoff;
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

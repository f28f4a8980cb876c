// One pass over a row, or over a block's share of it: every column that the running cutoff takes becomes a candidate.
//
// Warps run on their own, without a barrier, as long as the buffer has room for one more chunk of every warp. A warp
// that finds it does not, or that has no more chunks, waits for the others; then the block reduces the buffer to the k
// best and all go on behind the raised cutoff.
#pragma once

#include "cuda/block/candidate_buffer.hpp"
#include "cuda/block/chunk_order.hpp"
#include "cuda/block/row_chunks.hpp"

namespace keysieve {

// Which part of the row a block reads: the visits of warp first_warp + w of all_warps.
struct Share {
  std::int32_t first_warp;
  std::int32_t all_warps;
};

KEYSIEVE_DEVICE Share whole_row() { return {0, simt::block_warps()}; }
KEYSIEVE_DEVICE Share part_of_row(std::int32_t part, std::int32_t parts) {
  return {part * simt::block_warps(), parts * simt::block_warps()};
}

// Word `index` of an array, `index` being known at run time only: a tree of selects keeps the array in registers, where
// an index would move it to local memory.
template <int kWords>
KEYSIEVE_DEVICE std::uint32_t pick_word(const std::uint32_t (&words)[kWords], int index) {
  if constexpr (kWords == 1) {
    return words[0];
  } else {
    constexpr int kHalf = kWords / 2;
    std::uint32_t half[kHalf];
    KEYSIEVE_UNROLL
    for (int i = 0; i < kHalf; ++i) half[i] = (index & kHalf) != 0 ? words[i + kHalf] : words[i];
    return pick_word(half, index);
  }
}

// Bits of column `column` of a lane's vectors.
template <typename Format, int kVectors>
KEYSIEVE_DEVICE typename Format::Bits pick_column(const ChunkVectors<kVectors>& lane, int column) {
  constexpr int kColumnsPerWord = 32 / Format::kWidth;
  std::uint32_t words[4 * kVectors];
  KEYSIEVE_UNROLL
  for (int i = 0; i < 4 * kVectors; ++i) words[i] = lane.vectors[i / 4].words[i % 4];
  const std::uint32_t word = pick_word(words, column / kColumnsPerWord);
  if constexpr (Format::kWidth == 32) {
    return word;
  } else {
    return static_cast<typename Format::Bits>(word >> (16 * (column % 2)));
  }
}

// No NaN can be taken and none is looked for, so one subtraction a column decides (shift_in_taken).
template <typename Format>
KEYSIEVE_DEVICE bool is_plain(const Block& block, const Cutoff& cutoff) {
  return cutoff.key > kKeyNegativeInfinity<Format> && !block.nan_is_highest && !block.check_nan;
}

// Before a second read of a row whose first cutoff was too high: columns that it took are candidates already and are
// left out. All threads, behind a barrier; ends with one.
KEYSIEVE_DEVICE void start_again_below_cutoff(const Block& block) {
  if (simt::thread_index() == 0) {
    block.state->ceiling = block.state->cutoff;
    block.state->cutoff = block.floor;
    block.state->num_keyed = block.state->num_candidates;
    block.state->second_reads = 1;
  }
  simt::sync_block();
}

// Looks at every chunk that a stream takes, all lanes of the warp together. Nothing, unless a kernel has more to do
// with the scores than to select.
struct NoWatch {
  template <int kVectors>
  KEYSIEVE_DEVICE void see(const ChunkVectors<kVectors>&, std::int32_t) const {}
};

// Made before the first cutoff is known: its first loads are under way while the block looks for one. A second read is
// a type of its own, so that what only it needs takes no registers from the first.
template <typename Format, typename Row, bool kSecondRead = false, typename Watch = NoWatch>
class Stream {
 public:
  KEYSIEVE_DEVICE Stream(const Block& block, const Row& row, const Share& share, const Watch& watch = {})
      : block_(block),
        row_(row),
        watch_(watch),
        order_(row.end_inner() - row.first_inner(), share.first_warp + simt::warp_index(), share.all_warps,
               row.first_inner()),
        visit_(order_.first()) {
    fill_slots();
  }

  // All threads; the candidates are composites then, and visible after the next barrier.
  KEYSIEVE_DEVICE Histogram run() {
    take_edges();
    while (true) {
      const Cutoff cutoff = block_.state->cutoff;
      if constexpr (kSecondRead) {
        take_general(cutoff);
      } else if (is_plain<Format>(block_, cutoff)) {
        take_plain(cutoff);
      } else {
        take_general(cutoff);
      }
      const bool full = simt::sync_block_or(order_.has(visit_));
      const Histogram histogram = key_candidates<Format>(block_, row_);
      if (!full) return histogram;
      const auto num_candidates = static_cast<std::int32_t>(block_.state->num_candidates);
      const Composite threshold = block_select(block_, num_candidates, block_.k, histogram);
      compact(block_, num_candidates, threshold);
      if (simt::thread_index() == 0) {
        const std::int64_t position = block_.ties.position(rank_of(threshold));
        block_.state->cutoff = {key_of(threshold), block_.ties.rank(row_.chunk_of_position(position))};
      }
      fill_slots();
      simt::sync_block();
    }
  }

 private:
  static constexpr int kVectors = Row::kVectors;
  static constexpr int kVectorColumnCount = kVectorColumns<Format>;
  using Lane = ChunkVectors<kVectors>;

  KEYSIEVE_DEVICE bool has_room() const {
    const auto present = static_cast<std::int32_t>(simt::load_volatile(&block_.state->num_candidates));
    return simt::warp_all(present <= block_.limit);
  }
  KEYSIEVE_DEVICE bool takes_equal(const Cutoff& cutoff, std::int32_t chunk) const {
    return block_.ties.rank(chunk) >= cutoff.chunk_rank;
  }

  KEYSIEVE_DEVICE std::int32_t chunk_of(std::int32_t round) const { return order_.chunk_of_round(round); }

  KEYSIEVE_DEVICE void fill_slots() {
    if constexpr (kSecondRead) return;  // take_general loads for itself
    ahead_ = visit_.round;
    KEYSIEVE_UNROLL
    for (int slot = 0; slot < kSlots; ++slot) {
      rounds_[slot] = ahead_;
      if (order_.has(visit_.count + slot)) lanes_[slot] = row_.load_inner(chunk_of(ahead_));
      ahead_ = order_.next_round(ahead_);
    }
  }

  // The usual case: two chunks of a lane are in flight or in hand; each slot is refilled as soon as it is used up.
  // Registers do not move between slots: a move would wait for the load that is to be waited for last.
  KEYSIEVE_DEVICE void take_plain(const Cutoff& cutoff) {
    const float below_equal = value_below<Format>(cutoff.key);
    const float below_above =
        cutoff.chunk_rank == 0 ? below_equal : value_below<Format>(static_cast<std::uint64_t>(cutoff.key) + 1);
    KEYSIEVE_NO_UNROLL
    while (true) {
      KEYSIEVE_UNROLL
      for (int slot = 0; slot < kSlots; ++slot) {
        visit_.round = rounds_[slot];
        if (!order_.has(visit_) || !has_room()) return;
        const std::int32_t chunk = chunk_of(visit_.round);
        const float below = takes_equal(cutoff, chunk) ? below_equal : below_above;
        std::uint32_t taken = 0;
        KEYSIEVE_UNROLL
        for (int i = kVectors - 1; i >= 0; --i) taken = shift_in_taken<Format>(taken, lanes_[slot].vectors[i], below);
        watch_.see(lanes_[slot], chunk);
        append(lanes_[slot], chunk, taken);
        rounds_[slot] = ahead_;
        if (order_.has(visit_.count + kSlots)) lanes_[slot] = row_.load_inner(chunk_of(ahead_));
        ahead_ = order_.next_round(ahead_);
        ++visit_.count;
      }
    }
  }

  KEYSIEVE_DEVICE void take_general(const Cutoff& cutoff) {
    const VectorTest<Format> test(cutoff, block_.nan_is_highest);
    KEYSIEVE_NO_UNROLL
    while (order_.has(visit_) && has_room()) {
      const std::int32_t chunk = chunk_of(visit_.round);
      take_tested(row_.load_inner(chunk), chunk, 0xFFFFFFFFu, cutoff, test);
      visit_ = order_.next(visit_);
    }
  }

  // The chunks that reach past the window, if any, before anything else: those at the beginning are one warp's, those
  // at the end another's.
  KEYSIEVE_DEVICE void take_edges() {
    const std::int32_t warp = order_.chunk_of_round(0) - row_.first_inner();
    const Cutoff cutoff = block_.state->cutoff;
    KEYSIEVE_NO_UNROLL
    for (std::int32_t side = 0; side < 2; ++side) {
      if (warp != side && (side == 0 || order_.warps() > 1)) continue;
      const std::int32_t end = side == 0 ? row_.first_inner() : row_.num_chunks();
      KEYSIEVE_NO_UNROLL
      for (std::int32_t chunk = side == 0 ? 0 : row_.end_inner(simt::unknown(0)); chunk < end; ++chunk) {
        take_edge(chunk, cutoff);
      }
    }
  }

  KEYSIEVE_DEVICE void take_edge(std::int32_t chunk, const Cutoff& cutoff) {
    Lane lane;
    std::uint32_t live = 0;
    KEYSIEVE_UNROLL
    for (int i = 0; i < kVectors; ++i) {
      const std::int32_t vector = chunk * Row::kChunkVectors + i * simt::kWarpLanes + simt::lane_index();
      lane.vectors[i] = row_.load(vector);
      live |= row_.vectors().live_columns(vector) << (i * kVectorColumnCount);
    }
    take_tested(lane, chunk, live, cutoff, VectorTest<Format>(cutoff, block_.nan_is_highest));
  }

  KEYSIEVE_DEVICE void take_tested(const Lane& lane, std::int32_t chunk, std::uint32_t live, const Cutoff& cutoff,
                                   const VectorTest<Format>& test) {
    const bool equal = takes_equal(cutoff, chunk);
    std::uint32_t taken = 0;
    KEYSIEVE_UNROLL
    for (int i = 0; i < kVectors; ++i) {
      taken |= test.taken(lane.vectors[i], equal) << (i * kVectorColumnCount);
    }
    if constexpr (kSecondRead) {
      const Cutoff ceiling = block_.state->ceiling;
      const VectorTest<Format> above(ceiling, block_.nan_is_highest);
      const bool equal_above = takes_equal(ceiling, chunk);
      KEYSIEVE_UNROLL
      for (int i = 0; i < kVectors; ++i) {
        taken &= ~(above.taken(lane.vectors[i], equal_above) << (i * kVectorColumnCount));
      }
    }
    if (block_.check_nan) {
      KEYSIEVE_UNROLL
      for (int i = 0; i < kVectors; ++i) {
        const std::uint32_t nan = VectorTest<Format>::nan_columns(lane.vectors[i]) << (i * kVectorColumnCount);
        if ((nan & live) != 0) block_.state->nan_seen = 1;  // every writer writes the same
      }
    }
    watch_.see(lane, chunk);
    append(lane, chunk, taken & live);
  }

  KEYSIEVE_DEVICE void append(const Lane& lane, std::int32_t chunk, std::uint32_t taken) {
    if (taken != 0) {
      std::uint32_t at =
          simt::atomic_add(&block_.state->num_candidates, static_cast<std::uint32_t>(simt::count_ones(taken)));
      const std::uint32_t code = Row::first_code(chunk);
      KEYSIEVE_NO_UNROLL
      do {
        const int column = simt::lowest_bit(taken);
        taken &= taken - 1;
        block_.candidates[at++] =
            make_composite(pick_column<Format>(lane, column), code + static_cast<std::uint32_t>(column));
      } while (taken != 0);
    }
  }

  const Block& block_;
  const Row& row_;
  [[no_unique_address]] Watch watch_;
  ChunkOrder order_;
  ChunkOrder::Visit visit_;  // the next to take
  // Chunks in flight: the next ones, from visit_ on.
  static constexpr int kSlots = 2;  // chunks of a warp in flight

  Lane lanes_[kSlots];
  std::int32_t rounds_[kSlots];
  std::int32_t ahead_;
};

}  // namespace keysieve

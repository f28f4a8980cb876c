// Ascending positions without sorting: a bit per column of the row, then each chosen column's slot is the number of
// bits below its own. Costs a clear and a scan of length / 32 words, whatever the selection looks like.
#pragma once

#include "cuda/block/block.hpp"
#include "cuda/block/block_scan.hpp"

namespace keysieve {

// A bitmap of a row over a piece of shared memory; every fourth word has the number of set bits in front of it.
class PositionBitmap {
 public:
  static KEYSIEVE_DEVICE std::int64_t bytes(std::int64_t length) { return num_groups(length) * (16 + 4); }

  KEYSIEVE_DEVICE PositionBitmap(void* memory, std::int64_t length)
      : groups_(static_cast<std::int32_t>(num_groups(length))),
        words_(static_cast<std::uint32_t*>(memory)),
        bits_in_front_(words_ + 4 * static_cast<std::int64_t>(groups_)) {}

  // All threads; a barrier must follow.
  KEYSIEVE_DEVICE void clear() {
    KEYSIEVE_NO_UNROLL
    for (std::int32_t group = simt::thread_index(); group < groups_; group += simt::block_threads()) {
      reinterpret_cast<simt::Vector*>(words_)[group] = simt::Vector{};
    }
  }

  KEYSIEVE_DEVICE void set(std::int64_t position) { simt::atomic_or(&words_[position / 32], 1u << (position % 32)); }

  // All threads, every position being set; starts and ends with a barrier.
  KEYSIEVE_DEVICE void count(std::uint32_t* partials) {
    simt::sync_block();
    const std::int32_t per_thread = (groups_ + simt::block_threads() - 1) / simt::block_threads();
    const std::int32_t first = simt::thread_index() * per_thread;
    const std::int32_t end = first + per_thread < groups_ ? first + per_thread : groups_;
    std::uint32_t mine = 0;
    KEYSIEVE_NO_UNROLL
    for (std::int32_t group = first; group < end; ++group) mine += ones(group);
    std::uint32_t in_front = block_exclusive_sum(partials, mine).before;
    KEYSIEVE_NO_UNROLL
    for (std::int32_t group = first; group < end; ++group) {
      bits_in_front_[group] = in_front;
      in_front += ones(group);
    }
    simt::sync_block();
  }

  // Set positions below `position`.
  KEYSIEVE_DEVICE std::int32_t slot_of(std::int64_t position) const {
    const auto group = static_cast<std::int32_t>(position / 128);
    std::uint32_t below = bits_in_front_[group];
    const auto word = static_cast<std::int32_t>(position / 32);
    KEYSIEVE_NO_UNROLL
    for (std::int32_t i = group * 4; i < word; ++i) below += static_cast<std::uint32_t>(simt::count_ones(words_[i]));
    const std::uint32_t lower = (1u << (position % 32)) - 1;
    return static_cast<std::int32_t>(below + static_cast<std::uint32_t>(simt::count_ones(words_[word] & lower)));
  }

 private:
  static KEYSIEVE_DEVICE std::int64_t num_groups(std::int64_t length) { return (length + 127) / 128; }

  KEYSIEVE_DEVICE std::uint32_t ones(std::int32_t group) const {
    const simt::Vector four = reinterpret_cast<const simt::Vector*>(words_)[group];
    return static_cast<std::uint32_t>(simt::count_ones(four.words[0]) + simt::count_ones(four.words[1]) +
                                      simt::count_ones(four.words[2]) + simt::count_ones(four.words[3]));
  }

  std::int32_t groups_;
  std::uint32_t* words_;
  std::uint32_t* bits_in_front_;
};

}  // namespace keysieve

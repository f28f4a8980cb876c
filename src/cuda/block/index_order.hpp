// Ascending positions without sorting: a bit per column of the row, from which the positions are read off in order.
// Costs a clear and a scan of length / 32 words, whatever the selection looks like.
#pragma once

#include "cuda/block/block.hpp"
#include "cuda/block/block_scan.hpp"

namespace keysieve {

// A bitmap of a row over a piece of shared memory, 16-byte aligned.
class PositionBitmap {
 public:
  // 8-byte places that it takes.
  static KEYSIEVE_DEVICE std::int64_t entries(std::int64_t length) { return num_vectors(length) * 2; }

  KEYSIEVE_DEVICE PositionBitmap(void* memory, std::int64_t length)
      : vectors_(static_cast<std::int32_t>(num_vectors(length))), words_(static_cast<std::uint32_t*>(memory)) {}

  // All threads; a barrier must follow.
  KEYSIEVE_DEVICE void clear() {
    KEYSIEVE_NO_UNROLL
    for (std::int32_t i = simt::thread_index(); i < vectors_; i += simt::block_threads()) {
      reinterpret_cast<simt::Vector*>(words_)[i] = simt::Vector{};
    }
  }

  KEYSIEVE_DEVICE void set(std::int64_t position) { simt::atomic_or(&words_[position / 32], 1u << (position % 32)); }

  // All threads, every position being set: the positions in ascending order. A thread has a run of words. Starts with a
  // barrier, one must follow.
  KEYSIEVE_DEVICE void list(std::uint32_t* partials, std::uint32_t* positions) const {
    simt::sync_block();
    const std::int32_t words = 4 * vectors_;
    const std::int32_t run = (words + simt::block_threads() - 1) / simt::block_threads();
    const std::int32_t first = simt::thread_index() * run;
    const std::int32_t end = first + run < words ? first + run : words;
    std::uint32_t mine = 0;
    KEYSIEVE_UNROLL_BY_4
    for (std::int32_t i = first; i < end; ++i) mine += static_cast<std::uint32_t>(simt::count_ones(words_[i]));
    std::uint32_t place = block_exclusive_sum(partials, mine).before;
    KEYSIEVE_NO_UNROLL
    for (std::int32_t i = first; i < end; ++i) {
      std::uint32_t word = words_[i];
      KEYSIEVE_NO_UNROLL
      while (word != 0) {
        const int bit = simt::lowest_bit(word);
        word &= word - 1;
        positions[place++] = static_cast<std::uint32_t>(i) * 32 + static_cast<std::uint32_t>(bit);
      }
    }
  }

 private:
  static KEYSIEVE_DEVICE std::int64_t num_vectors(std::int64_t length) { return (length + 127) / 128; }

  std::int32_t vectors_;
  std::uint32_t* words_;
};

}  // namespace keysieve

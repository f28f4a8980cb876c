// Keys of a row's blocks of eight columns: the largest score of each, from the same registers that selection looks at.
// Only blocks that compete are wanted, all but the newest, so every one of them is whole.
#pragma once

#include "cuda/block/stream.hpp"
#include "cuda/kernel_args.hpp"
#include "cuda/simt/numbers.hpp"

namespace keysieve {

// A NaN counts as no score; -inf where a block has no other.
KEYSIEVE_DEVICE float block_key(float largest) { return simt::max_number(largest, simt::float_from_bits(0xFF800000u)); }

template <typename Format>
KEYSIEVE_DEVICE float largest_of_vector(const simt::Vector& vector) {
  return score_value<Format>(best_bits<Format>(vector));
}

// Writes the key of every block of a chunk. A vector is half a block of FP32 and a whole one of 16-bit scores.
template <typename Format>
class BlockWatch {
 public:
  // keys: of the row, or null where none is wanted or the row's vectors do not begin where blocks do. `num_blocks`:
  // those that there is room for and use of.
  KEYSIEVE_DEVICE BlockWatch(float* keys, std::int32_t num_blocks) : keys_(keys), num_blocks_(num_blocks) {}

  template <int kVectors>
  KEYSIEVE_DEVICE void see(const ChunkVectors<kVectors>& lane, std::int32_t chunk) const {
    if (keys_ == nullptr) return;  // the same in all lanes
    if constexpr (Format::kWidth == 32) {
      static_assert(kVectors == 2);
      // Lanes 2i and 2i + 1 hold two blocks between them, half of either; each finishes one.
      const int odd = simt::lane_index() & 1;
      const float first = largest_of_vector<Format>(lane.vectors[0]),
                  second = largest_of_vector<Format>(lane.vectors[1]);
      const float theirs = simt::shuffle_xor(odd != 0 ? first : second, 1);
      put(chunk * 32 + odd * 16 + simt::lane_index() / 2, simt::max_number(odd != 0 ? second : first, theirs));
    } else {
      static_assert(kVectors == 1);
      put(chunk * 32 + simt::lane_index(), largest_of_vector<Format>(lane.vectors[0]));
    }
  }

 private:
  KEYSIEVE_DEVICE void put(std::int32_t block, float largest) const {
    if (block < num_blocks_) simt::store_float(keys_ + block, block_key(largest));
  }

  float* keys_;
  std::int32_t num_blocks_;
};

// What a row publishes.
struct RowBlocks {
  float* keys;              // null: nothing competes
  std::int32_t num_blocks;  // that compete

  KEYSIEVE_DEVICE RowBlocks(const BlockKeys& all, std::int64_t row, std::int64_t length)
      : keys(nullptr), num_blocks(0) {
    const std::int64_t blocks = (length + kPublishBlock - 1) / kPublishBlock;
    if (blocks > all.kept_blocks) {
      keys = all.keys + row * all.row_stride;
      num_blocks = static_cast<std::int32_t>(blocks - 1);
    }
  }

  // By one thread of the row.
  KEYSIEVE_DEVICE void write_count(const BlockKeys& all, std::int64_t row) const { all.key_counts[row] = num_blocks; }
};

// All threads of `parts` blocks: the keys of a row whose scores no stream reads, or whose vectors do not begin where
// its blocks do.
template <typename Format>
KEYSIEVE_DEVICE void write_keys_apart(const RowBlocks& blocks, const typename Format::Bits* window, std::int32_t part,
                                      std::int32_t parts) {
  KEYSIEVE_NO_UNROLL
  for (std::int64_t i = static_cast<std::int64_t>(part) * simt::block_threads() + simt::thread_index();
       i < blocks.num_blocks; i += static_cast<std::int64_t>(parts) * simt::block_threads()) {
    float largest = simt::float_from_bits(0xFF800000u);
    KEYSIEVE_UNROLL
    for (int column = 0; column < kPublishBlock; ++column) {
      largest = simt::max_number(largest, score_value<Format>(window[i * kPublishBlock + column]));
    }
    simt::store_float(blocks.keys + i, block_key(largest));
  }
}

}  // namespace keysieve

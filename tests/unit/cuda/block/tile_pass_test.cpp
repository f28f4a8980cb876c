#include "cuda/block/tile_pass.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "cuda/block/block_harness.hpp"

namespace keysieve::test {
namespace {

template <typename Format>
class TilePass : public testing::Test {
 public:
  using Bits = typename Format::Bits;

  // A row that starts `lead` columns behind a 16-byte boundary, of arbitrary bits: NaN, infinities and all.
  TilePass() : memory_(1200) {
    std::mt19937_64 random(7);
    for (simt::Vector& vector : memory_) {
      for (std::uint32_t& word : vector.words) word = static_cast<std::uint32_t>(random());
    }
  }
  RowVectors<Format> row(std::int32_t lead, std::int64_t length) {
    return {reinterpret_cast<Bits*>(memory_.data()) + kVectorColumns<Format> + lead, length};
  }
  Bits bits_at(std::int32_t lead, std::int64_t position) const {
    return reinterpret_cast<const Bits*>(memory_.data())[kVectorColumns<Format> + lead + position];
  }

  // `body` runs in every thread with the row in the block's tile. The copy is that of `copied`, which may be longer.
  template <typename Body>
  static std::string run(const RowVectors<Format>& vectors, const RowVectors<Format>& copied, int threads,
                         std::int32_t capacity, std::uint64_t seed, const Body& body, Ties ties = Ties::kSmallest) {
    const auto tile = static_cast<std::int32_t>(tile_vectors(copied.length(), Format::kWidth / 8));
    return run_block({.threads = threads, .capacity = capacity, .order_seed = seed, .ties = ties, .tile_vectors = tile},
                     [&](const Block& block) {
                       if (simt::warp_index() == 0) {
                         start_copy<Format>(block, copied);
                         copy_ends<Format>(block, vectors, copied);
                       }
                       simt::sync_block();
                       finish_copy<Format>(block, copied);
                       body(block, TileRow<Format>(vectors, block.tile));
                     });
  }

  template <typename Body>
  static std::string run(const RowVectors<Format>& vectors, int threads, std::int32_t capacity, std::uint64_t seed,
                         const Body& body, Ties ties = Ties::kSmallest) {
    return run(vectors, vectors, threads, capacity, seed, body, ties);
  }

  static std::vector<std::int64_t> lengths() { return {1, 7, 31, 32, 33, 128, 255, 257, 1000, 2047, 2081, 4096}; }

 private:
  std::vector<simt::Vector> memory_;
};
using Formats = testing::Types<Float32Bits, BFloat16Bits, Float16Bits>;
TYPED_TEST_SUITE(TilePass, Formats);

// Where only the row is copied, and where columns behind it come along.
TYPED_TEST(TilePass, CopyHasTheRow) {
  using Format = TypeParam;
  for (const std::int64_t length : this->lengths()) {
    for (std::int32_t lead = 0; lead < kVectorColumns<Format>; ++lead) {
      for (const std::int64_t more : {0, 1, 2, 3, 7, 8, 9, 100}) {
        const RowVectors<Format> vectors = this->row(lead, length);
        const RowVectors<Format> copied = this->row(lead, length + more);
        const std::string fault = this->run(vectors, copied, 96, 1, 3, [&](const Block& block, const TileRow<Format>&) {
          if (simt::thread_index() != 0) return;
          const auto* tile = reinterpret_cast<const typename Format::Bits*>(block.tile);
          for (std::int64_t i = 0; i < length; ++i) ASSERT_EQ(tile[lead + i], this->bits_at(lead, i)) << i;
        });
        ASSERT_EQ(fault, "") << length << " columns, " << lead << " behind a boundary";
      }
    }
  }
}

// What the cutoff takes, and nothing else, in ascending order; the number is right too where they do not fit.
TYPED_TEST(TilePass, ListsWhatTheCutoffTakes) {
  using Format = TypeParam;
  std::mt19937_64 random(8);
  for (const std::int64_t length : this->lengths()) {
    for (const Ties ties : {Ties::kSmallest, Ties::kLargest}) {
      for (const int threads : {32, 64, 256}) {
        const auto lead = static_cast<std::int32_t>(random() % kVectorColumns<Format>);
        const RowVectors<Format> vectors = this->row(lead, length);
        const std::uint32_t flip = ties == Ties::kLargest ? 0 : 0xFFFFFFFFu;
        Cutoff cutoff{kKeyNegativeInfinity<Format> + 1, 0};
        // The key of some column, so that equal ones occur, and a chunk somewhere in the row.
        const std::int64_t some = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length));
        const Key key = ordered_key<Format>(this->bits_at(lead, some), kKeyNanLowest);
        if (key > cutoff.key) cutoff.key = key;
        cutoff.chunk_rank = static_cast<std::uint32_t>(random() % 12) ^ flip;
        const GlobalRow<Format> shape(vectors);
        std::vector<std::uint32_t> expected;
        for (std::int64_t i = 0; i < length; ++i) {
          const Key other = ordered_key<Format>(this->bits_at(lead, i), kKeyNanLowest);
          const std::uint32_t rank = static_cast<std::uint32_t>(shape.chunk_of_position(i)) ^ flip;
          if (other > cutoff.key || (other == cutoff.key && rank >= cutoff.chunk_rank)) {
            expected.push_back(static_cast<std::uint32_t>(i + lead));
          }
        }
        const auto all = static_cast<std::int32_t>(expected.size());
        for (const std::int32_t capacity : {all + 1, std::max(all, 1), std::max(all - 1, 1)}) {
          std::vector<std::uint32_t> listed;
          const std::string fault = this->run(
              vectors, threads, capacity, random() % 4,
              [&](const Block& block, const TileRow<Format>& row) {
                const std::int32_t total = list_taken<Format>(block, row, cutoff);
                EXPECT_EQ(total, all);
                simt::sync_block();
                if (simt::thread_index() != 0 || total > block.capacity) return;
                for (std::int32_t i = 0; i < total; ++i)
                  listed.push_back(static_cast<std::uint32_t>(block.candidates[i]));
              },
              ties);
          ASSERT_EQ(fault, "");
          if (capacity >= all) {
            ASSERT_EQ(listed, expected) << length << " columns, " << threads << " threads";
          }
        }
      }
    }
  }
}

TYPED_TEST(TilePass, KeysOfAllAndOfTheListed) {
  using Format = TypeParam;
  constexpr std::int64_t kLength = 700;
  const RowVectors<Format> vectors = this->row(1, kLength);
  for (const bool takes_all : {false, true}) {
    std::vector<Composite> keyed;
    std::uint32_t counted = 0;
    const std::string fault = this->run(vectors, 64, 800, 5, [&](const Block& block, const TileRow<Format>& row) {
      std::int32_t total = static_cast<std::int32_t>(kLength);
      const Cutoff cutoff{kKeyNegativeInfinity<Format> + 1, 0};
      if (takes_all) {
        key_all<Format>(block, row, total);
      } else {
        total = list_taken<Format>(block, row, cutoff);
        simt::sync_block();
        key_listed<Format>(block, row, total, search_keys(cutoff.key, 0xFFFFFFFFu), true);
      }
      simt::sync_block();
      if (simt::thread_index() != 0) return;
      keyed.assign(block.candidates, block.candidates + total);
      for (int i = 0; i < kSelectBins; ++i) counted += block.bins[i];
    });
    ASSERT_EQ(fault, "");
    std::vector<Composite> expected;
    for (std::int64_t i = 0; i < kLength; ++i) {
      const auto bits = this->bits_at(1, i);
      const Key key = ordered_key<Format>(bits, kKeyNanLowest);
      if (takes_all || key > kKeyNegativeInfinity<Format>) {
        expected.push_back(make_composite(key, ~static_cast<std::uint32_t>(i)));
      }
    }
    EXPECT_EQ(keyed, expected);
    EXPECT_EQ(counted, takes_all ? 0u : expected.size());
  }
}

}  // namespace
}  // namespace keysieve::test

#include "cuda/block/index_order.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "cuda/block/block_harness.hpp"

namespace keysieve::test {
namespace {

TEST(PositionBitmap, PositionsComeOutInOrder) {
  std::mt19937_64 random(1);
  for (const std::int64_t length : {1, 31, 32, 33, 127, 128, 129, 256, 1000, 4095, 4096, 4097, 20000}) {
    for (const std::int64_t one_in : {1, 3, 100, 100000}) {
      std::vector<std::uint32_t> positions;
      for (std::int64_t i = 0; i < length; ++i) {
        const bool end = i == 0 || i == length - 1;
        if (end || random() % static_cast<std::uint64_t>(one_in) == 0)
          positions.push_back(static_cast<std::uint32_t>(i));
      }
      // The memory ends where the bitmap does: a write behind it is found.
      const auto capacity = static_cast<std::int32_t>(PositionBitmap::entries(length));
      for (const int threads : {32, 96, 256}) {
        std::vector<std::uint32_t> listed(positions.size(), 0xFFFFFFFFu);
        const std::string fault =
            run_block({.threads = threads, .capacity = capacity, .order_seed = random() % 4}, [&](const Block& block) {
              PositionBitmap bitmap(block.candidates, length);
              bitmap.clear();
              simt::sync_block();
              const auto step = static_cast<std::size_t>(simt::block_threads());
              const auto me = static_cast<std::size_t>(simt::thread_index());
              for (std::size_t i = me; i < positions.size(); i += step) bitmap.set(positions[positions.size() - 1 - i]);
              bitmap.list(block.partials, listed.data());
            });
        ASSERT_EQ(fault, "");
        ASSERT_EQ(listed, positions) << length << " columns";
      }
    }
  }
}

TEST(PositionBitmap, EntriesOfTheLongestRow) {
  EXPECT_EQ(PositionBitmap::entries(0), 0);
  EXPECT_EQ(PositionBitmap::entries(1), 2);
  EXPECT_EQ(PositionBitmap::entries(128), 2);
  EXPECT_EQ(PositionBitmap::entries(129), 4);
  EXPECT_EQ(PositionBitmap::entries(0x7FFFFFFF), std::int64_t{1 << 24} * 2);
}

}  // namespace
}  // namespace keysieve::test

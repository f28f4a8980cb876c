#include "cuda/block/block_scan.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "cuda/block/block_harness.hpp"

namespace keysieve::test {
namespace {

TEST(BlockScan, SumsInFrontAndTotal) {
  std::mt19937 random(1);
  for (const int threads : {32, 64, 96, 128, 480, 512, 992, 1024}) {
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
      // Any numbers: sums wrap the same on both sides.
      std::vector<std::uint32_t> values(static_cast<std::size_t>(threads)), before(values), total(values);
      std::vector<std::uint32_t> warp(values), again(values);
      for (std::uint32_t& value : values) value = seed == 3 ? 0xFFFFFFFFu : static_cast<std::uint32_t>(random());
      const std::string fault = run_block({.threads = threads, .order_seed = seed}, [&](const Block& block) {
        const auto me = static_cast<std::size_t>(simt::thread_index());
        warp[me] = warp_inclusive_sum(values[me]);
        const BlockSum sum = block_exclusive_sum(block.partials, values[me]);
        before[me] = sum.before;
        total[me] = sum.total;
        simt::sync_block();
        again[me] = block_exclusive_sum(block.partials, 1).before;
      });
      ASSERT_EQ(fault, "");
      std::uint32_t sum = 0, warp_sum = 0, all = 0;
      for (const std::uint32_t value : values) all += value;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (i % 32 == 0) warp_sum = 0;
        warp_sum += values[i];
        ASSERT_EQ(warp[i], warp_sum);
        ASSERT_EQ(before[i], sum) << threads << " threads, thread " << i;
        ASSERT_EQ(total[i], all);
        ASSERT_EQ(again[i], i);
        sum += values[i];
      }
    }
  }
}

}  // namespace
}  // namespace keysieve::test

#include "cuda/block/block_sort.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "cuda/block/block_harness.hpp"

namespace keysieve::test {
namespace {

TEST(BlockSort, PowerOfTwoAtLeast) {
  for (const auto& [value, power] :
       {std::pair{0, 1}, {1, 1}, {2, 2}, {3, 4}, {4, 4}, {5, 8}, {8191, 8192}, {8192, 8192}}) {
    EXPECT_EQ(power_of_two_at_least(value), power);
  }
}

TEST(BlockSort, DescendingAndNothingBehindIsTouched) {
  constexpr Composite kBehind = 0x1234567812345678u;
  std::mt19937_64 random(1);
  for (const int threads : {32, 96, 256, 1024}) {
    for (const std::size_t count : {0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 100, 511, 513, 1024}) {
      for (const int kind : {0, 1, 2, 4, 7}) {
        std::vector<Composite> entries = make_composites(kind, count, random);
        // Repeats and zeros sort too.
        if (kind == 0 && count > 3) entries[1] = entries[2] = entries[0];
        if (kind == 4 && count > 3) entries[1] = entries[3] = 0;
        const std::int32_t padded = power_of_two_at_least(static_cast<std::int32_t>(count));
        std::vector<Composite> got;
        Composite behind = 0;
        const std::string fault = run_block({.threads = threads, .capacity = padded + 1, .order_seed = random() % 3},
                                            [&](const Block& block) {
                                              put_candidates(block, entries);
                                              if (simt::thread_index() == 0) block.candidates[padded] = kBehind;
                                              simt::sync_block();
                                              sort_descending(block.candidates, static_cast<std::int32_t>(count));
                                              if (simt::thread_index() != 0) return;
                                              got = candidates_of(block);
                                              behind = block.candidates[padded];
                                            });
        ASSERT_EQ(fault, "");
        ASSERT_EQ(got, k_largest(entries, count)) << count << " entries on " << threads << " threads";
        ASSERT_EQ(behind, kBehind);
      }
    }
  }
}

}  // namespace
}  // namespace keysieve::test

#include "cuda/block/block_select.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "cuda/block/block_harness.hpp"

namespace keysieve::test {
namespace {

// Every thread's result must be the same, and split off exactly the k largest.
void check_select(const std::vector<Composite>& candidates, std::int32_t k, int threads, std::uint64_t seed) {
  std::vector<Composite> thresholds(static_cast<std::size_t>(threads));
  const auto count = static_cast<std::int32_t>(candidates.size());
  const std::string fault =
      run_block({.threads = threads, .capacity = count, .k = k, .order_seed = seed}, [&](const Block& block) {
        put_candidates(block, candidates);
        find_key_range(block, count);
        thresholds[static_cast<std::size_t>(simt::thread_index())] = block_select(block, count, k);
      });
  ASSERT_EQ(fault, "");
  std::int32_t chosen = 0;
  for (const Composite candidate : candidates) chosen += candidate >= thresholds[0] ? 1 : 0;
  ASSERT_EQ(chosen, k) << count << " candidates, " << threads << " threads";
  for (const Composite threshold : thresholds) ASSERT_EQ(threshold, thresholds[0]);
}

TEST(BlockSelect, EveryKindOfCandidates) {
  std::mt19937_64 random(2);
  for (int kind = 0; kind < kCompositeKinds; ++kind) {
    for (const int threads : {32, 64, 96, 256, 1024}) {
      for (const std::size_t count : {2, 33, 64, 65, 66, 300, 2500}) {
        const std::vector<Composite> candidates = make_composites(kind, count, random);
        const auto most = static_cast<std::int32_t>(count) - 1;
        const auto anywhere = 1 + static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(most));
        for (const std::int32_t k : {1, std::max(1, most / 2), anywhere, most}) {
          SCOPED_TRACE("kind " + std::to_string(kind) + ", k " + std::to_string(k));
          check_select(candidates, k, threads, random() % 3);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(BlockSelect, EveryKOfASmallSet) {
  std::mt19937_64 random(3);
  for (int kind = 0; kind < kCompositeKinds; ++kind) {
    const std::vector<Composite> candidates = make_composites(kind, 130, random);
    for (std::int32_t k = 1; k < 130; ++k) {
      check_select(candidates, k, 64, static_cast<std::uint64_t>(k % 4));
      if (HasFatalFailure()) return;
    }
  }
}

// The whole range of composites, with the wanted one at either end of it.
TEST(BlockSelect, RangeOf64Bits) {
  std::vector<Composite> candidates = {
      0, 1, ~Composite{0}, ~Composite{0} - 1, Composite{1} << 63, (Composite{1} << 63) - 1};
  for (std::int32_t k = 1; k < 6; ++k) check_select(candidates, k, 32, 1);
}

TEST(BlockSelect, KeyRangeOfCandidates) {
  std::mt19937_64 random(4);
  for (const std::size_t count : {1, 31, 64, 1000}) {
    const std::vector<Composite> candidates = make_composites(0, count, random);
    Key lowest = 0, highest = 0;
    const auto all = static_cast<std::int32_t>(count);
    const std::string fault = run_block({.threads = 96, .capacity = all, .order_seed = count}, [&](const Block& block) {
      put_candidates(block, candidates);
      find_key_range(block, all);
      lowest = block.state->lowest_key;
      highest = block.state->highest_key;
    });
    ASSERT_EQ(fault, "");
    EXPECT_EQ(highest, key_of(*std::max_element(candidates.begin(), candidates.end())));
    EXPECT_EQ(lowest, key_of(*std::min_element(candidates.begin(), candidates.end())));
  }
}

}  // namespace
}  // namespace keysieve::test

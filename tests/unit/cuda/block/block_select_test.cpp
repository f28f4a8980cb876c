#include "cuda/block/block_select.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
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
        thresholds[static_cast<std::size_t>(simt::thread_index())] = block_select(block, count, k, nothing_counted());
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

TEST(BlockSelect, NoMoreThanKHaveNoThreshold) {
  std::mt19937_64 random(7);
  const std::vector<Composite> candidates = make_composites(0, 100, random);
  for (const std::int32_t k : {100, 101, 5000}) {
    const std::string fault =
        run_block({.threads = 64, .capacity = 100, .k = k, .order_seed = 3}, [&](const Block& block) {
          put_candidates(block, candidates);
          EXPECT_EQ(block_select(block, 100, k, nothing_counted()), 0u);
        });
    ASSERT_EQ(fault, "");
  }
}

// The whole range of composites, with the wanted one at either end of it.
TEST(BlockSelect, RangeOf64Bits) {
  std::vector<Composite> candidates = {
      0, 1, ~Composite{0}, ~Composite{0} - 1, Composite{1} << 63, (Composite{1} << 63) - 1};
  for (std::int32_t k = 1; k < 6; ++k) check_select(candidates, k, 32, 1);
}

// With a guess of the range, good or bad: it decides what the search costs, not what it finds.
TEST(BlockSelect, AnyGuessOfTheRange) {
  std::mt19937_64 random(4);
  for (int kind = 0; kind < kCompositeKinds; ++kind) {
    const std::vector<Composite> candidates = make_composites(kind, 1000, random);
    const Key lowest = key_of(*std::min_element(candidates.begin(), candidates.end()));
    const Key highest = key_of(*std::max_element(candidates.begin(), candidates.end()));
    const Key between = lowest + (highest - lowest) / 3;
    for (const auto& [low, high] : {std::pair{lowest, highest}, std::pair{Key{0}, ~Key{0}}, std::pair{lowest, between},
                                    std::pair{lowest, lowest}, std::pair{lowest, Key{0}}}) {
      for (const std::int32_t k : {1, 250, 999}) {
        Composite threshold = 0;
        int left_in_bins = -1;
        const std::string fault =
            run_block({.threads = 128, .capacity = 1000, .k = k, .order_seed = 7}, [&](const Block& block) {
              put_candidates(block, candidates);
              const Search search = search_keys(low, high);
              count_in_bins(block, 1000, search, every_candidate());
              const Composite found = block_select(block, 1000, k, {search, true});
              simt::sync_block();
              if (simt::thread_index() != 0) return;
              threshold = found;
              left_in_bins = bins_in_use(block);
            });
        ASSERT_EQ(fault, "");
        EXPECT_EQ(threshold, k_largest(candidates, static_cast<std::size_t>(k)).back()) << "kind " << kind;
        EXPECT_EQ(left_in_bins, 0) << "the next search finds them zero";
      }
    }
  }
}

TEST(BlockSelect, BinsAreMonotoneAndOfEqualWidth) {
  std::mt19937_64 random(5);
  for (const std::uint32_t range : {0u, 1u, 2u, 511u, 512u, 513u, 70000u, 0x7FFFFFFFu, 0x80000001u, 0xFFFFFFFFu}) {
    const auto low = static_cast<std::uint32_t>(random() % (0xFFFFFFFFull - range + 1));
    const Bins bins(low, low + range);
    EXPECT_EQ(bins.bin(low), 0u);
    EXPECT_LT(bins.bin(low + range), static_cast<std::uint32_t>(kSelectBins));
    if (range > 0) {
      EXPECT_GT(bins.bin(low + range), 0u) << "no progress over " << range;
    }
    std::vector<std::uint32_t> values;
    for (int i = 0; i < 3000; ++i) values.push_back(low + static_cast<std::uint32_t>(random() % (range + 1ull)));
    std::sort(values.begin(), values.end());
    const double width = std::max(1.0, std::exp2(std::ceil(std::log2(range + 1.0))) / kSelectBins);
    for (std::size_t i = 1; i < values.size(); ++i) {
      const std::uint32_t first = bins.bin(values[i - 1]), second = bins.bin(values[i]);
      ASSERT_LE(first, second);
      ASSERT_LE((second - first) * width, values[i] - values[i - 1] + width);
      ASSERT_GE((second - first) * width, values[i] - values[i - 1] - width);
      ASSERT_LE(bins.lowest_of(second), values[i]);
      ASSERT_GE(bins.highest_of(second), values[i]);
    }
    if (low + range < 0xFFFFFFFFu) {
      EXPECT_LT(bins.bin(0xFFFFFFFFu), static_cast<std::uint32_t>(kSelectBins));
      EXPECT_GE(bins.bin(0xFFFFFFFFu), bins.bin(low + range));
    }
  }
}

TEST(BlockSelect, FindBinCountsFromTheTop) {
  std::mt19937_64 random(6);
  for (const int density : {1, 3, 200}) {
    alignas(16) std::uint32_t bins[kSelectBins] = {};
    std::uint32_t total = 0;
    for (std::uint32_t& bin : bins)
      total += bin = random() % 4 == 0 ? static_cast<std::uint32_t>(random() % density) : 0;
    bins[17] += 5;
    total += 5;
    for (const std::uint32_t wanted : {1u, total / 2, total - 1, total}) {
      FoundBin expected{};
      for (int bin = kSelectBins - 1; bin >= 0; --bin) {
        if (expected.above + bins[bin] >= wanted) {
          expected.bin = static_cast<std::uint32_t>(bin);
          expected.count = bins[bin];
          break;
        }
        expected.above += bins[bin];
      }
      for (const int threads : {32, 96, 128, 256, 512, 1024}) {
        const std::string fault =
            run_block({.threads = threads, .capacity = 1, .order_seed = 2}, [&](const Block& block) {
              if (simt::thread_index() == 0) std::copy(bins, bins + kSelectBins, block.bins);
              const FoundBin found = find_bin(block, wanted);
              EXPECT_EQ(found.bin, expected.bin);
              EXPECT_EQ(found.above, expected.above);
              EXPECT_EQ(found.count, expected.count);
            });
        ASSERT_EQ(fault, "") << threads << " threads";
      }
    }
  }
}

}  // namespace
}  // namespace keysieve::test

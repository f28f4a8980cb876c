#include "cuda/block/candidate_buffer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "cuda/block/block_harness.hpp"
#include "cuda/block/row_chunks.hpp"

namespace keysieve::test {
namespace {

TEST(CandidateBuffer, KeepAtOrAboveKeepsTheOrder) {
  std::mt19937_64 random(1);
  for (const std::size_t count : {1, 31, 64, 65, 640, 1000}) {
    const std::vector<Composite> candidates = make_composites(0, count, random);
    for (const Composite threshold : {Composite{0}, candidates[count / 2], ~Composite{0}}) {
      std::vector<Composite> expected, got;
      for (const Composite candidate : candidates) {
        if (candidate >= threshold) expected.push_back(candidate);
      }
      std::uint32_t keyed = 0;
      const auto all = static_cast<std::int32_t>(count);
      const std::string fault =
          run_block({.threads = 64, .capacity = all, .order_seed = count}, [&](const Block& block) {
            put_candidates(block, candidates);
            keep_at_or_above(block, all, threshold);
            if (simt::thread_index() != 0) return;
            got = candidates_of(block);
            keyed = block.state->num_keyed;
          });
      ASSERT_EQ(fault, "");
      EXPECT_EQ(got, expected);
      EXPECT_EQ(keyed, expected.size());
    }
  }
}

TEST(CandidateBuffer, CompactLeavesTheBest) {
  std::mt19937_64 random(2);
  for (int kind = 0; kind < kCompositeKinds; ++kind) {
    for (const std::size_t k : {1, 50, 299}) {
      const std::vector<Composite> candidates = make_composites(kind, 300, random);
      std::vector<Composite> got;
      Composite threshold = 0;
      std::uint32_t compactions = 0;
      const std::string fault =
          run_block({.threads = 96, .capacity = 300, .k = static_cast<std::int64_t>(k), .order_seed = k},
                    [&](const Block& block) {
                      put_candidates(block, candidates);
                      const Composite found = block_select(block, 300, block.k, nothing_counted());
                      compact(block, 300, found);
                      if (simt::thread_index() != 0) return;
                      threshold = found;
                      got = candidates_of(block);
                      compactions = block.state->compactions;
                    });
      ASSERT_EQ(fault, "");
      EXPECT_EQ(k_largest(got, got.size()), k_largest(candidates, k));
      EXPECT_LE(threshold, *std::min_element(got.begin(), got.end()));
      EXPECT_EQ(compactions, 1u);
    }
  }
}

TEST(CandidateBuffer, AddCandidatesThroughATinyBuffer) {
  std::mt19937_64 random(3);
  for (int kind = 0; kind < kCompositeKinds; ++kind) {
    for (const std::int32_t k : {1, 7, 64}) {
      for (const std::int32_t spare : {1, 2, 33, 500}) {
        const std::vector<Composite> before = make_composites(kind, static_cast<std::size_t>(k), random);
        const std::vector<Composite> all = make_composites(kind, 400, random);
        std::vector<Composite> added;
        for (const Composite each : all) {
          if (std::find(before.begin(), before.end(), each) == before.end()) added.push_back(each);
        }
        std::vector<Composite> everything = before;
        everything.insert(everything.end(), added.begin(), added.end());
        std::vector<Composite> got;
        std::uint32_t compactions = 0, keyed = 0;
        const auto count = static_cast<std::int32_t>(added.size());
        const std::string fault = run_block(
            {.threads = 64, .capacity = k + spare, .k = k, .order_seed = static_cast<std::uint64_t>(spare)},
            [&](const Block& block) {
              put_candidates(block, before);
              add_candidates(block, 0, [](std::int32_t) { return ~Composite{0}; });
              add_candidates(block, count, [&added](std::int32_t i) { return added[static_cast<std::size_t>(i)]; });
              if (simt::thread_index() != 0) return;
              got = candidates_of(block);
              compactions = block.state->compactions;
              keyed = block.state->num_keyed;
            });
        ASSERT_EQ(fault, "");
        ASSERT_LE(got.size(), static_cast<std::size_t>(k + spare));
        EXPECT_EQ(keyed, got.size());
        EXPECT_EQ(k_largest(got, static_cast<std::size_t>(k)), k_largest(everything, static_cast<std::size_t>(k)));
        EXPECT_EQ(compactions, static_cast<std::uint32_t>(count > spare ? (count - 1) / spare : 0));
      }
    }
  }
}

// Appended bits and codes become composites, those that are already stay; the k-th of all is found, whatever is known
// about their range.
TEST(CandidateBuffer, KeyCandidates) {
  alignas(16) std::uint16_t scores[2048];
  std::mt19937_64 random(4);
  for (std::uint16_t& score : scores) score = static_cast<std::uint16_t>(random());
  for (const Ties ties : {Ties::kSmallest, Ties::kLargest}) {
    for (const bool nan_is_highest : {false, true}) {
      const bool known_range = nan_is_highest == (ties == Ties::kLargest);
      const RowVectors<Float16Bits> vectors(scores + 3, 2040);
      const std::uint32_t flip = ties == Ties::kLargest ? 0 : 0xFFFFFFFFu;
      std::vector<Composite> expected, got, raw;
      Composite threshold = 0;
      int left_in_bins = -1;
      const std::int32_t k = known_range ? 77 : 600;
      const std::string fault = run_block(
          {.threads = 32, .capacity = 600, .k = k, .order_seed = 5, .ties = ties, .nan_is_highest = nan_is_highest},
          [&](const Block& block) {
            const GlobalRow<Float16Bits> row(vectors);
            if (simt::thread_index() == 0) {
              for (std::uint32_t i = 0; i < 600; ++i) {
                const std::uint32_t code = 3 + i * 3;
                const std::int64_t position = row.position_of_code(code);
                const std::uint16_t bits = scores[3 + position];
                const Key nan_key = nan_is_highest ? kKeyNanHighest : kKeyNanLowest;
                const Composite keyed = make_composite(ordered_key<Float16Bits>(bits, nan_key),
                                                       static_cast<std::uint32_t>(position) ^ flip);
                expected.push_back(keyed);
                raw.push_back(i < 100 ? keyed : make_composite(bits, code));
              }
            }
            simt::sync_block();
            put_candidates(block, raw);
            if (simt::thread_index() == 0) {
              block.state->num_keyed = 100;
              if (known_range) block.state->highest_key = number_key<Float16Bits>(0x3C00);
            }
            simt::sync_block();
            const Histogram histogram = key_candidates<Float16Bits>(block, row);
            EXPECT_EQ(histogram.is_counted, known_range);
            const Composite found = block_select(block, 600, k, histogram);
            simt::sync_block();
            if (simt::thread_index() != 0) return;
            threshold = found;
            left_in_bins = bins_in_use(block);
            got = candidates_of(block);
          });
      ASSERT_EQ(fault, "");
      EXPECT_EQ(got, expected);
      EXPECT_EQ(left_in_bins, 0);
      EXPECT_EQ(threshold, known_range ? k_largest(expected, 77).back() : 0);
    }
  }
}

}  // namespace
}  // namespace keysieve::test

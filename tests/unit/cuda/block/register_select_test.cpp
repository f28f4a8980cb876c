#include "cuda/block/register_select.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "cuda/block/block_harness.hpp"

namespace keysieve::test {
namespace {

using Row = RegisterRow<Float32Bits, 16>;
constexpr int kThreads = 96;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Vectors {
  alignas(16) float scores[kThreads * Row::kColumns];
};

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// Rows on which the rounds have an easy or a hard time.
constexpr int kRowKinds = 14;
float score_of(int kind, int i, std::mt19937_64& random) {
  std::normal_distribution<float> normal;
  switch (kind) {
    case 0:
      return normal(random);
    case 1:
      return 1.5f;
    case 2:
      return std::max(0.0f, normal(random) - 1.0f);
    case 3:
      return 1 + 1e-5f * normal(random);
    case 4:
      return 100 + normal(random);
    case 5:
      return static_cast<float>(i);
    case 6:
      return std::ldexp(1.0f, i % 250 - 125);  // each range is one power of two longer than the next
    case 7:
      return std::ldexp(1.0f, -149) * static_cast<float>(i % 37);  // below every normal number
    case 8:
      return i % 3 == 0 ? 3e38f : -3e38f * (1 - 1e-6f * static_cast<float>(i));  // a range above the largest number
    case 9:
      return i % 5 == 0 ? -kInfinity : normal(random);
    case 10:
      return i % 7 == 0 ? kInfinity : normal(random);
    case 11:
      return i % 4 == 0 ? std::numeric_limits<float>::quiet_NaN() : normal(random);
    case 12:
      return i % 2 == 0 ? 0.0f : -0.0f;
    default:
      return i == 700 ? 1e30f : normal(random);  // one far away from the others
  }
}

// The k best by key and position, in the order of the row.
std::vector<int> expected_columns(const Vectors& row, std::int32_t length, std::int32_t k, const Block& block) {
  std::vector<int> all;
  for (int i = 0; i < length; ++i) all.push_back(i);
  const auto composite = [&](int i) {
    return make_composite(ordered_key<Float32Bits>(bits_of(row.scores[i]), block.nan_key), block.ties.rank(i));
  };
  std::sort(all.begin(), all.end(), [&](int a, int b) { return composite(a) > composite(b); });
  all.resize(static_cast<std::size_t>(k));
  std::sort(all.begin(), all.end());
  return all;
}

// decide() and the ranking of the boundary, over any row, any k, both ways of ties and both places of NaN.
TEST(RegisterSelect, TakesTheKBest) {
  std::mt19937_64 random(11);
  for (int kind = 0; kind < kRowKinds; ++kind) {
    Vectors row;
    for (int i = 0; i < kThreads * Row::kColumns; ++i) row.scores[i] = score_of(kind, i, random);
    for (const std::int32_t length : {2, 130, 1000, kThreads * Row::kColumns}) {
      for (const std::int32_t k : {1, 17, 90, 400, 999}) {
        if (k >= length) continue;
        BlockSetup setup{.threads = kThreads, .capacity = 16, .k = k, .order_seed = random() % 5};
        setup.ties = random() % 2 == 0 ? Ties::kSmallest : Ties::kLargest;
        setup.nan_is_highest = random() % 3 == 0;
        std::vector<int> chosen, expected;
        const std::string fault = run_block(setup, [&](const Block& block) {
          const OneBlock team(block);
          Row mine(simt::thread_index());
          mine.load(reinterpret_cast<const std::uint32_t*>(row.scores), length);
          const Decision decision = decide(block, team, mine, mine.live_columns(length), length);
          simt::sync_block();
          if (simt::thread_index() == 0) expected = expected_columns(row, length, k, block);
          for (int i = 0; i < Row::kColumns; ++i) {
            if ((decision.chosen >> i & 1) != 0) chosen.push_back(mine.position(i));
          }
          if (decision.wanted > 0) {
            EXPECT_EQ(block.bins[simt::thread_index()], 0u);
            rank_boundary(block, decision.wanted, [&](std::uint32_t larger, std::int64_t position) {
              EXPECT_LT(larger, decision.wanted);
              chosen.push_back(static_cast<int>(position));
            });
          }
        });
        ASSERT_EQ(fault, "");
        std::sort(chosen.begin(), chosen.end());
        ASSERT_EQ(chosen, expected) << "kind " << kind << ", length " << length << ", k " << k;
      }
    }
  }
}

// Where the numbers of a row do, one round does: what lies at the boundary is little.
TEST(RegisterSelect, NumbersNeedOneRound) {
  std::mt19937_64 random(5);
  Vectors row;
  for (int i = 0; i < kThreads * Row::kColumns; ++i) row.scores[i] = score_of(0, i, random);
  const std::string fault = run_block({.threads = kThreads, .capacity = 16, .k = 100}, [&](const Block& block) {
    Row mine(simt::thread_index());
    mine.load(reinterpret_cast<const std::uint32_t*>(row.scores), kThreads * Row::kColumns);
    ColumnMask chosen = 0, open = 0xFFFF;
    const FoundBin found = count_numbers(block, OneBlock(block), mine, 0xFFFF, kThreads * Row::kColumns, chosen, open);
    EXPECT_GT(found.count, 0u);
    EXPECT_LE(found.count, 12u);
    EXPECT_LE(found.above, 99u);
    EXPECT_GE(found.above + found.count, 100u);
  });
  ASSERT_EQ(fault, "");
}

// A place is monotone, its bin is that of the histogram, and what is no number has none.
TEST(NumberBins, PlacesNumbersInOrder) {
  for (const auto& [lowest, highest] :
       {std::pair{-1.0f, 4.0f}, {0.99996f, 1.00004f}, {100.0f, 108.0f}, {-3e4f, 1e30f}}) {
    const NumberBins bins(lowest, highest);
    ASSERT_TRUE(bins.is_usable());
    float before = 0;
    for (int i = 0; i <= 5000; ++i) {
      const float value = lowest + (highest - lowest) * (static_cast<float>(i) / 5000);
      const float place = bins.place(std::min(value, highest));
      ASSERT_GE(place, before);
      before = place;
      const std::uint32_t bin = NumberBins::bin(place);
      ASSERT_LT(bin, static_cast<std::uint32_t>(kSelectBins));
      ASSERT_EQ(NumberBins::place_of(bin), place);
    }
    EXPECT_EQ(NumberBins::bin(bins.place(lowest)), 0u);
    EXPECT_GE(NumberBins::bin(bins.place(highest)), static_cast<std::uint32_t>(kSelectBins) - 4);
    for (const float none : {std::numeric_limits<float>::quiet_NaN(), -kInfinity, lowest - (highest - lowest)}) {
      EXPECT_GE(NumberBins::bin(bins.place(none)), static_cast<std::uint32_t>(kSelectBins));
    }
  }
  EXPECT_FALSE(NumberBins(-3e38f, 3e38f).is_usable());
  EXPECT_FALSE(NumberBins(0.0f, std::ldexp(1.0f, -149)).is_usable());
}

// The bin of the k-th, for blocks of any size.
TEST(RegisterBins, FindTheBinOfTheKth) {
  std::mt19937_64 random(3);
  for (const int threads : {32, 96, 128, 256, 512}) {
    for (int turn = 0; turn < 12; ++turn) {
      std::vector<std::uint32_t> counts(static_cast<std::size_t>(kSelectBins));
      std::uint32_t total = 0;
      for (std::uint32_t& count : counts)
        total += count = random() % 4 == 0 ? static_cast<std::uint32_t>(random() % 9) : 0;
      const auto wanted = static_cast<std::uint32_t>(random() % (total + 20) + 1);
      FoundBin found{};
      const std::string fault = run_block({.threads = threads, .order_seed = random() % 4}, [&](const Block& block) {
        for (int i = simt::thread_index(); i < kSelectBins; i += simt::block_threads()) {
          block.bins[i] = counts[static_cast<std::size_t>(i)];
        }
        simt::sync_block();
        const FoundBin mine = find_bin_by_block(block, wanted);
        if (simt::thread_index() == threads - 1) found = mine;
      });
      ASSERT_EQ(fault, "");
      if (wanted > total) {
        ASSERT_EQ(found.count, 0u);
        continue;
      }
      std::uint32_t above = 0;
      std::size_t bin = counts.size() - 1;
      while (above + counts[bin] < wanted) above += counts[bin--];
      ASSERT_EQ(found.bin, bin);
      ASSERT_EQ(found.above, above);
      ASSERT_EQ(found.count, counts[bin]);
    }
  }
}

// Places in the order of the row, for masks of any density and both kinds of fields.
template <typename R>
void check_places() {
  std::mt19937_64 random(9);
  for (int turn = 0; turn < 6; ++turn) {
    std::vector<ColumnMask> masks;
    for (int t = 0; t < kThreads; ++t) {
      ColumnMask mask =
          static_cast<ColumnMask>(random()) & static_cast<ColumnMask>((std::uint64_t{1} << R::kColumns) - 1);
      if (turn == 0) mask = static_cast<ColumnMask>((std::uint64_t{1} << R::kColumns) - 1);
      if (turn == 1) mask = 0;
      if (turn == 2) mask &= static_cast<ColumnMask>(random() & random());
      masks.push_back(mask);
    }
    std::vector<std::int32_t> order(static_cast<std::size_t>(kThreads * R::kColumns), -1);
    const std::string fault = run_block({.threads = kThreads}, [&](const Block& block) {
      const R row(simt::thread_index());
      const ColumnMask mask = masks[static_cast<std::size_t>(simt::thread_index())];
      const RowPlaces<R> places(block.partials, mask);
      for (int v = 0; v < R::kVectors; ++v) {
        std::uint32_t place = places.first(v);
        for (int c = 0; c < R::kVectorColumnCount; ++c) {
          const int i = v * R::kVectorColumnCount + c;
          if ((mask >> i & 1) != 0) order.at(place++) = row.position(i);
        }
      }
      if (simt::thread_index() == 0) order.resize(places.total());
      simt::sync_block();
    });
    ASSERT_EQ(fault, "");
    ASSERT_TRUE(std::is_sorted(order.begin(), order.end()));
    ASSERT_TRUE(order.empty() || order.front() >= 0);
    ASSERT_EQ(std::adjacent_find(order.begin(), order.end()), order.end());
  }
}

TEST(RowPlaces, FollowTheRow) {
  check_places<RegisterRow<Float32Bits, 16>>();
  check_places<RegisterRow<Float32Bits, 32>>();
  check_places<RegisterRow<BFloat16Bits, 16>>();
  check_places<RegisterRow<Float16Bits, 32>>();
}

}  // namespace
}  // namespace keysieve::test

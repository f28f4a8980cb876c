// A shuffled order makes races visible that the natural order hides.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "cuda/simt/simt.hpp"
#include "simt/launch.hpp"

namespace keysieve::simt {
namespace {

constexpr int kThreads = 128;

// For how many of 40 seeds `kernel`, given a fresh flag, found something wrong.
int seeds_that_fail(const std::function<void(bool* wrong)>& kernel) {
  int failures = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    bool wrong = false;
    const LaunchShape shape{.threads = kThreads, .shared_bytes = 4 * kThreads, .order_seed = seed};
    EXPECT_EQ(run_on_host(shape, [&] { kernel(&wrong); }), "");
    failures += wrong ? 1 : 0;
  }
  return failures;
}

std::uint32_t* shared_words() { return reinterpret_cast<std::uint32_t*>(shared_memory()); }

void read_what_a_lower_thread_wrote(bool* wrong, int distance, const std::function<void()>& barrier) {
  const auto thread = static_cast<std::uint32_t>(thread_index());
  shared_words()[thread] = thread;
  barrier();
  const std::uint32_t source = thread < static_cast<std::uint32_t>(distance) ? thread : thread - distance;
  *wrong = *wrong || shared_words()[source] != source;
}

TEST(SimtOrder, MissingWarpBarrier) {
  bool wrong = false;
  const LaunchShape natural{.threads = kThreads, .shared_bytes = 4 * kThreads};
  ASSERT_EQ(run_on_host(natural, [&] { read_what_a_lower_thread_wrote(&wrong, 1, [] {}); }), "");
  EXPECT_FALSE(wrong) << "the natural order hides it";
  EXPECT_GE(seeds_that_fail([](bool* found) { read_what_a_lower_thread_wrote(found, 1, [] {}); }), 38);
  EXPECT_EQ(seeds_that_fail([](bool* found) { read_what_a_lower_thread_wrote(found, 1, [] { sync_block(); }); }), 0);
}

TEST(SimtOrder, WarpBarrierWhereABlockBarrierIsNeeded) {
  EXPECT_GE(seeds_that_fail([](bool* found) { read_what_a_lower_thread_wrote(found, 32, [] { sync_warp(); }); }), 30);
  EXPECT_EQ(seeds_that_fail([](bool* found) { read_what_a_lower_thread_wrote(found, 32, [] { sync_block(); }); }), 0);
}

// The barrier between reading a result and writing the next is the one that is forgotten.
TEST(SimtOrder, MissingBarrierBeforeReuse) {
  const auto broadcast_twice = [](bool* wrong, bool with_barrier) {
    for (std::uint32_t round = 0; round < 2; ++round) {
      if (thread_index() == 0) shared_words()[0] = round;
      sync_block();
      *wrong = *wrong || shared_words()[0] != round;
      if (with_barrier) sync_block();
    }
  };
  EXPECT_GE(seeds_that_fail([&](bool* found) { broadcast_twice(found, false); }), 20);
  EXPECT_EQ(seeds_that_fail([&](bool* found) { broadcast_twice(found, true); }), 0);
}

// One warp far ahead of another, through many warp operations.
TEST(SimtOrder, WarpsRunFarAhead) {
  int far_ahead = 0, interleaved = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    int done[kThreads / 32] = {};
    int largest_lead = 0;
    const auto kernel = [&] {
      const int warp = warp_index();
      for (int step = 1; step <= 50; ++step) {
        warp_any(true);
        done[warp] = step;
        for (const int other : done) largest_lead = std::max(largest_lead, step - other);
      }
    };
    ASSERT_EQ(run_on_host({.threads = kThreads, .order_seed = seed}, kernel), "");
    far_ahead += largest_lead == 50 ? 1 : 0;
    interleaved += largest_lead < 40 ? 1 : 0;
  }
  EXPECT_GE(far_ahead, 5);
  EXPECT_GE(interleaved, 5);
}

std::vector<int> order_of_threads(std::uint64_t seed) {
  std::vector<int> order;
  EXPECT_EQ(run_on_host({.blocks = 8, .threads = 64, .order_seed = seed},
                        [&] { order.push_back(static_cast<int>(block_index()) * 64 + thread_index()); }),
            "");
  return order;
}

TEST(SimtOrder, TheSeedDecidesAlone) {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<int> order = order_of_threads(seed);
    EXPECT_EQ(order, order_of_threads(seed));
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 50u);
  for (int i = 0; i < 8 * 64; ++i) EXPECT_EQ(order_of_threads(0)[static_cast<std::size_t>(i)], i);
}

// Between any two lanes both orders occur, whichever two they are.
TEST(SimtOrder, EveryPairOfLanesRunsInBothOrders) {
  bool before[32][32] = {};
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::vector<int> order = order_of_threads(seed);
    int place[32] = {};
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order[i] < 32) place[order[i]] = static_cast<int>(i);
    }
    for (int a = 0; a < 32; ++a) {
      for (int b = 0; b < 32; ++b) before[a][b] = before[a][b] || place[a] < place[b];
    }
  }
  for (int a = 0; a < 32; ++a) {
    for (int b = 0; b < 32; ++b) EXPECT_TRUE(before[a][b] || a == b) << a << ' ' << b;
  }
}

}  // namespace
}  // namespace keysieve::simt

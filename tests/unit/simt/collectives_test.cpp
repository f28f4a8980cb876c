// Warp and block collectives, through algorithms written like device code.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "cuda/simt/simt.hpp"
#include "simt/launch.hpp"

namespace keysieve::simt {
namespace {

constexpr std::uint64_t kSeeds[] = {0, 1, 2, 3, 4, 5, 6, 7};

std::uint32_t some_number(std::int64_t index) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(index + 1) * 0x9E3779B97F4A7C15u >> 40);
}

KEYSIEVE_DEVICE std::uint32_t inclusive_warp_scan(std::uint32_t value) {
  KEYSIEVE_UNROLL
  for (int distance = 1; distance < kWarpLanes; distance *= 2) {
    const std::uint32_t below = shuffle_up(value, distance);
    if (lane_index() >= distance) value += below;
  }
  return value;
}

// The sum over the threads before this one; `warp_sums` holds block_warps() words of shared memory.
KEYSIEVE_DEVICE std::uint32_t exclusive_block_scan(std::uint32_t value, std::uint32_t* warp_sums) {
  const int warp = warp_index();
  const std::uint32_t inclusive = inclusive_warp_scan(value);
  if (lane_index() == kWarpLanes - 1) warp_sums[warp] = inclusive;
  sync_block();
  if (warp == 0) {
    const std::uint32_t sum = lane_index() < block_warps() ? warp_sums[lane_index()] : 0;
    const std::uint32_t scanned = inclusive_warp_scan(sum);
    if (lane_index() < block_warps()) warp_sums[lane_index()] = scanned - sum;
  }
  sync_block();
  return warp_sums[warp] + inclusive - value;
}

TEST(Simt, EveryThreadRunsOnceAndKnowsItsPlace) {
  for (const std::uint64_t seed : kSeeds) {
    for (const int threads : {32, 96, 512, 1024}) {
      std::vector<int> runs(static_cast<std::size_t>(threads) * 5);
      bool right = true;
      const auto kernel = [&] {
        right = right && block_threads() == threads && block_warps() == threads / 32 && num_blocks() == 5;
        right = right && warp_index() == thread_index() / 32 && lane_index() == thread_index() % 32;
        ++runs[static_cast<std::size_t>(block_index() * threads + thread_index())];
      };
      ASSERT_EQ(run_on_host({.blocks = 5, .threads = threads, .order_seed = seed}, kernel), "");
      EXPECT_TRUE(right);
      EXPECT_EQ(runs, std::vector<int>(runs.size(), 1));
    }
  }
}

TEST(Simt, BlockScanMatchesPlainLoop) {
  for (const std::uint64_t seed : kSeeds) {
    for (const int threads : {32, 64, 480, 1024}) {
      const std::int64_t blocks = 3;
      std::vector<std::uint32_t> result(static_cast<std::size_t>(blocks * threads));
      const auto kernel = [&] {
        auto* warp_sums = reinterpret_cast<std::uint32_t*>(shared_memory());
        const std::int64_t place = block_index() * block_threads() + thread_index();
        // Twice: the second pass must not see what is left of the first.
        const std::uint32_t once = exclusive_block_scan(some_number(place), warp_sums);
        sync_block();
        result[static_cast<std::size_t>(place)] = once + exclusive_block_scan(1, warp_sums);
      };
      const LaunchShape shape{.blocks = blocks, .threads = threads, .shared_bytes = threads / 8, .order_seed = seed};
      ASSERT_EQ(run_on_host(shape, kernel), "");
      for (std::int64_t block = 0; block < blocks; ++block) {
        std::uint32_t sum = 0;
        for (int thread = 0; thread < threads; ++thread) {
          const std::int64_t place = block * threads + thread;
          ASSERT_EQ(result[static_cast<std::size_t>(place)], sum + static_cast<std::uint32_t>(thread));
          sum += some_number(place);
        }
      }
    }
  }
}

TEST(Simt, BlockHistogramWithAtomics) {
  constexpr int kBins = 16, kPerThread = 20;
  for (const std::uint64_t seed : kSeeds) {
    std::vector<std::uint32_t> result(kBins), expected(kBins);
    for (int i = 0; i < kPerThread * 256; ++i) ++expected[some_number(i) % kBins];
    const auto kernel = [&] {
      auto* bins = reinterpret_cast<std::uint32_t*>(shared_memory());
      if (thread_index() < kBins) bins[thread_index()] = 0;
      sync_block();
      for (int i = thread_index(); i < kPerThread * block_threads(); i += block_threads()) {
        atomic_add(&bins[some_number(i) % kBins], 1);
      }
      sync_block();
      if (thread_index() < kBins)
        result[static_cast<std::size_t>(thread_index())] = load_volatile(bins + thread_index());
    };
    ASSERT_EQ(run_on_host({.threads = 256, .shared_bytes = kBins * 4, .order_seed = seed}, kernel), "");
    EXPECT_EQ(result, expected);
  }
}

TEST(Simt, Atomics) {
  std::uint32_t counter = 0, bits = 0, lowest = 50, highest = 50;
  std::vector<int> seen(128);
  const auto kernel = [&] {
    ++seen[atomic_add(&counter, 1)];
    atomic_or(&bits, 1u << lane_index());
    atomic_min(&lowest, static_cast<std::uint32_t>(thread_index()) + 3);
    atomic_max(&highest, static_cast<std::uint32_t>(thread_index()) + 3);
  };
  ASSERT_EQ(run_on_host({.threads = 128, .order_seed = 5}, kernel), "");
  EXPECT_EQ(seen, std::vector<int>(128, 1));
  EXPECT_EQ(bits, kAllLanes);
  EXPECT_EQ(lowest, 3u);
  EXPECT_EQ(highest, 130u);
}

struct WarpResults {
  std::uint32_t ballot, sum, max, min;
  bool any, all, any_of_none, all_of_all, any_of_one, all_but_one;
};

TEST(Simt, WarpVotesAndReductions) {
  for (const std::uint64_t seed : kSeeds) {
    std::vector<WarpResults> results(128);
    const auto kernel = [&] {
      const int thread = thread_index();
      const std::uint32_t value = some_number(thread);
      WarpResults& result = results[static_cast<std::size_t>(thread)];
      result.ballot = warp_ballot(value % 3 == 0);
      result.sum = warp_sum(value << 12);  // wraps
      result.max = warp_max(value);
      result.min = warp_min(value);
      result.any = warp_any(thread >= 64);
      result.all = warp_all(thread >= 64);
      result.any_of_none = warp_any(false);
      result.all_of_all = warp_all(true);
      result.any_of_one = warp_any(lane_index() == 31);
      result.all_but_one = warp_all(lane_index() != 31);
    };
    ASSERT_EQ(run_on_host({.threads = 128, .order_seed = seed}, kernel), "");
    for (int thread = 0; thread < 128; ++thread) {
      std::uint32_t ballot = 0, sum = 0, max = 0, min = ~0u;
      for (int lane = 0; lane < 32; ++lane) {
        const std::uint32_t value = some_number(thread / 32 * 32 + lane);
        ballot |= static_cast<std::uint32_t>(value % 3 == 0) << lane;
        sum += value << 12;
        max = std::max(max, value);
        min = std::min(min, value);
      }
      const WarpResults& result = results[static_cast<std::size_t>(thread)];
      EXPECT_EQ(result.ballot, ballot);
      EXPECT_EQ(result.sum, sum);
      EXPECT_EQ(result.max, max);
      EXPECT_EQ(result.min, min);
      EXPECT_EQ(result.any, thread >= 64);
      EXPECT_EQ(result.all, thread >= 64);
      EXPECT_FALSE(result.any_of_none);
      EXPECT_TRUE(result.all_of_all);
      EXPECT_TRUE(result.any_of_one);
      EXPECT_FALSE(result.all_but_one);
    }
  }
}

TEST(Simt, AddsFromBelow) {
  for (const std::uint64_t seed : kSeeds) {
    for (const int distance : {1, 5, 16, 31}) {
      std::vector<std::uint32_t> sums(64);
      const auto kernel = [&] {
        const auto value = static_cast<std::uint32_t>(100 + thread_index());
        sums[static_cast<std::size_t>(thread_index())] = add_from_below(value, distance);
      };
      ASSERT_EQ(run_on_host({.threads = 64, .order_seed = seed}, kernel), "");
      for (int thread = 0; thread < 64; ++thread) {
        const int lane = thread % 32;
        const int expected = 100 + thread + (lane >= distance ? 100 + thread - distance : 0);
        EXPECT_EQ(sums[static_cast<std::size_t>(thread)], static_cast<std::uint32_t>(expected));
      }
    }
  }
}

template <typename T>
void expect_shuffles_like_the_gpu() {
  for (const std::uint64_t seed : kSeeds) {
    std::vector<T> turned(64), up(64), down(64), crossed(64), wrapped(64);
    const auto kernel = [&] {
      const auto thread = static_cast<std::size_t>(thread_index());
      const T value = static_cast<T>(static_cast<T>(thread_index()) - static_cast<T>(7));
      turned[thread] = shuffle(value, (lane_index() + 3) % 32);
      up[thread] = shuffle_up(value, 5);
      down[thread] = shuffle_down(value, 5);
      crossed[thread] = shuffle_xor(value, 21);
      wrapped[thread] = shuffle(value, 33);
    };
    ASSERT_EQ(run_on_host({.threads = 64, .order_seed = seed}, kernel), "");
    for (int thread = 0; thread < 64; ++thread) {
      const int lane = thread % 32, warp_first = thread - lane;
      const auto value = [](int of) { return static_cast<T>(static_cast<T>(of) - static_cast<T>(7)); };
      const auto at = static_cast<std::size_t>(thread);
      EXPECT_EQ(turned[at], value(warp_first + (lane + 3) % 32));
      EXPECT_EQ(up[at], value(lane < 5 ? thread : thread - 5));
      EXPECT_EQ(down[at], value(lane >= 27 ? thread : thread + 5));
      EXPECT_EQ(crossed[at], value(warp_first + (lane ^ 21)));
      EXPECT_EQ(wrapped[at], value(warp_first + 1));
    }
  }
}

TEST(Simt, Shuffles) {
  expect_shuffles_like_the_gpu<std::uint32_t>();
  expect_shuffles_like_the_gpu<int>();
  expect_shuffles_like_the_gpu<std::int64_t>();
  expect_shuffles_like_the_gpu<std::uint64_t>();
  expect_shuffles_like_the_gpu<float>();
  expect_shuffles_like_the_gpu<double>();
}

TEST(Simt, BlockVotesSeeTheirOwnBarrierOnly) {
  for (const std::uint64_t seed : kSeeds) {
    bool right = true;
    const auto kernel = [&] {
      for (int round = 0; round < 40; ++round) {
        right = right && sync_block_count(thread_index() % 40 < round) == (96 / 40) * round + std::min(round, 96 % 40);
        right = right && sync_block_or(thread_index() == round * 3) == (round * 3 < 96);
        right = right && !sync_block_or(false);
      }
    };
    ASSERT_EQ(run_on_host({.blocks = 2, .threads = 96, .order_seed = seed}, kernel), "");
    EXPECT_TRUE(right) << seed;
  }
}

TEST(Simt, BitCounts) {
  EXPECT_EQ(count_ones(0), 0);
  EXPECT_EQ(count_ones(0xF0F00001u), 9);
  EXPECT_EQ(lowest_bit(1), 0);
  EXPECT_EQ(lowest_bit(0x80000000u), 31);
  EXPECT_EQ(lowest_bit(0x00FF0010u), 4);
  EXPECT_EQ(leading_zeros(0), 64);
  EXPECT_EQ(leading_zeros(1), 63);
  EXPECT_EQ(leading_zeros(std::uint64_t{1} << 63), 0);
}

TEST(Simt, FloatsFromEveryHalf) {
  for (int pattern = 0; pattern <= 0xFFFF; ++pattern) {
    const int exponent = pattern >> 10 & 31, fraction = pattern & 0x3FF;
    const float value = float_from_half(static_cast<std::uint16_t>(pattern));
    ASSERT_EQ(std::signbit(value), pattern >= 0x8000) << pattern;
    if (exponent == 31 && fraction != 0) {
      ASSERT_TRUE(std::isnan(value)) << pattern;
    } else if (exponent == 31) {
      ASSERT_TRUE(std::isinf(value)) << pattern;
    } else {
      const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
      ASSERT_EQ(std::abs(value), magnitude) << pattern;
    }
  }
  EXPECT_EQ(float_from_bits(0x40490FDBu), 3.14159274f);
}

TEST(Simt, StreamingLoad) {
  alignas(16) std::uint32_t words[8];
  std::iota(std::begin(words), std::end(words), 100u);
  std::uint32_t sum = 0;
  const auto kernel = [&] {
    const Vector vector = load_streaming(words + 4);
    if (thread_index() == 0) sum = vector.words[0] + 1000 * vector.words[3];
  };
  ASSERT_EQ(run_on_host({}, kernel), "");
  EXPECT_EQ(sum, 104u + 107000u);
}

TEST(Simt, DependencyWaitsAreCountedPerLaunch) {
  ASSERT_EQ(run_on_host({.blocks = 2, .threads = 64}, [] { wait_for_dependencies(); }), "");
  EXPECT_EQ(dependency_waits(), 128);
  ASSERT_EQ(run_on_host({}, [] {}), "");
  EXPECT_EQ(dependency_waits(), 0);
}

TEST(Simt, SharedMemoryStartsAsGarbageInEveryBlock) {
  for (const std::uint64_t seed : kSeeds) {
    int zeros = 0, over_aligned = 0, misaligned = 0;
    const auto kernel = [&] {
      std::byte* shared = shared_memory();
      const auto address = reinterpret_cast<std::uintptr_t>(shared);
      misaligned += address % 16 != 0;
      over_aligned += address % 32 == 0;
      for (int i = thread_index(); i < 1000; i += block_threads()) zeros += shared[i] == std::byte{0};
      sync_block();
      std::memset(shared + thread_index() * 25, 0, 25);
    };
    ASSERT_EQ(run_on_host({.blocks = 4, .threads = 32, .shared_bytes = 1000, .order_seed = seed}, kernel), "");
    EXPECT_LT(zeros, 4 * 1000) << "at most some seeds draw 0 for some blocks";
    EXPECT_EQ(over_aligned, 0);
    EXPECT_EQ(misaligned, 0);
  }
}

}  // namespace
}  // namespace keysieve::simt

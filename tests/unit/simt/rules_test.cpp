// Broken rules end a launch with a text, and the next launch works.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cuda/simt/cluster.hpp"
#include "simt/launch.hpp"

namespace keysieve::simt {
namespace {

class SimtRules : public ::testing::Test {
 protected:
  void TearDown() override {
    int runs = 0;
    EXPECT_EQ(run_on_host({.blocks = 2, .threads = 128}, [&] { sync_block(), sync_warp(), ++runs; }), "");
    EXPECT_EQ(runs, 256);
  }
};

std::string error_of(const std::function<void()>& kernel) {
  return run_on_host({.blocks = 2, .threads = 128, .shared_bytes = 512}, kernel);
}

TEST_F(SimtRules, WarpOperationOfSomeLanes) {
  EXPECT_EQ(error_of([] {
              if (thread_index() != 37) sync_warp();
            }),
            "block 0, thread 37: return from the kernel where lane 0 of its warp has sync_warp");
}

TEST_F(SimtRules, WarpOperationsOfDifferentKinds) {
  EXPECT_EQ(error_of([] { lane_index() < 9 ? warp_any(true) : warp_all(true); }),
            "block 0, thread 9: warp_all where lane 0 of its warp has warp_any");
  EXPECT_EQ(error_of([] { lane_index() < 9 ? shuffle(1, 0) : shuffle_xor(1, 1); }),
            "block 0, thread 9: shuffle_xor where lane 0 of its warp has shuffle");
}

TEST_F(SimtRules, WarpOperationBesideABarrier) {
  EXPECT_EQ(error_of([] {
              if (thread_index() == 64) warp_ballot(true);
              sync_block();
            }),
            "block 0, thread 65: sync_block where lane 0 of its warp has warp_ballot");
}

TEST_F(SimtRules, BarrierOfSomeThreadsOfAWarp) {
  EXPECT_EQ(error_of([] {
              if (thread_index() != 5) sync_block();
            }),
            "block 0, thread 5: return from the kernel where lane 0 of its warp has sync_block");
}

TEST_F(SimtRules, BarrierOfSomeWarps) {
  EXPECT_EQ(error_of([] {
              if (block_index() == 1 && thread_index() / 32 != 2) sync_block();
            }),
            "no thread can go on: block 1: warps 0-1 at sync_block, warp 2 at return from the kernel, "
            "warp 3 at sync_block;");
}

TEST_F(SimtRules, BarriersOfDifferentKinds) {
  EXPECT_EQ(error_of([] { thread_index() < 64 ? sync_block() : static_cast<void>(sync_block_or(false)); }),
            "block 0, thread 64: sync_block_or where warp 0 of its block has sync_block");
}

TEST_F(SimtRules, ClusterBarrierBesideABlockBarrier) {
  EXPECT_EQ(error_of([] { thread_index() < 64 ? sync_block() : sync_cluster(); }),
            "no thread can go on: block 0: warps 0-1 at sync_block, warps 2-3 at sync_cluster;");
}

// Without waiting: on the GPU warp_index() is a shuffle.
TEST_F(SimtRules, WarpIndexAskedBySomeLanes) {
  EXPECT_EQ(error_of([] {
              if (lane_index() == 3) warp_index();
              sync_block();
            }),
            "block 0, thread 3: 1 calls of warp_index by sync_block where lane 0 of its warp has 0");
  EXPECT_EQ(error_of([] {
              if (lane_index() != 31) warp_index();
            }),
            "block 0, thread 31: 0 calls of warp_index by return from the kernel where lane 0 of its warp has 1");
}

TEST_F(SimtRules, WriteBeyondTheSharedMemory) {
  const auto write_at = [](std::int64_t place) {
    return error_of([place] {
      if (block_index() == 1 && thread_index() == 0) shared_memory()[place] = std::byte{1};
    });
  };
  EXPECT_EQ(write_at(0), "");
  EXPECT_EQ(write_at(511), "");
  EXPECT_EQ(write_at(512), "block 1: byte 512 of 512 bytes of shared memory was written");
  EXPECT_EQ(write_at(700), "block 1: byte 700 of 512 bytes of shared memory was written");
  EXPECT_EQ(write_at(-1), "block 1: byte -1 of 512 bytes of shared memory was written");
}

TEST_F(SimtRules, WriteBeyondTheSharedMemoryOfABlockInACluster) {
  const LaunchShape shape{.blocks = 4, .threads = 32, .shared_bytes = 100, .cluster_blocks = 4};
  const auto kernel = [] {
    if (block_index() == 2 && thread_index() == 0) shared_memory()[101] = std::byte{1};
  };
  EXPECT_EQ(run_on_host(shape, kernel), "block 2: byte 101 of 100 bytes of shared memory was written");
}

TEST_F(SimtRules, MisalignedStreamingLoad) {
  alignas(16) const std::uint32_t words[8] = {};
  EXPECT_EQ(error_of([&] { load_streaming(words + 1); }),
            "block 0, thread 0: load_streaming from an address that is not 16-byte aligned");
}

TEST_F(SimtRules, LowestBitOfZero) {
  EXPECT_EQ(error_of([] { lowest_bit(0); }), "block 0, thread 0: lowest_bit of 0");
}

TEST_F(SimtRules, ShuffleDistanceOutside) {
  EXPECT_EQ(error_of([] { shuffle_up(1, 32); }), "block 0, thread 0: a shuffle distance outside 0 to 31");
  EXPECT_EQ(error_of([] { shuffle_down(1, -1); }), "block 0, thread 0: a shuffle distance outside 0 to 31");
  EXPECT_EQ(error_of([] { shuffle_xor(1, 32); }), "block 0, thread 0: a shuffle distance outside 0 to 31");
}

TEST_F(SimtRules, ExceptionsComeBackAsText) {
  EXPECT_EQ(error_of([] {
              sync_block();
              if (thread_index() == 40) throw std::runtime_error("out of cheese");
              sync_block();
            }),
            "block 0, thread 40: exception: out of cheese");
  EXPECT_EQ(error_of([] { throw 7; }), "block 0, thread 0: exception of unknown type");
}

TEST_F(SimtRules, AFailedLaunchUnwindsItsThreads) {
  const auto token = std::make_shared<int>(0);
  int ended = 0;
  const std::string error = error_of([&] {
    const std::shared_ptr<int> held = token;
    sync_block();
    if (thread_index() < 96) sync_block();
    ++ended;
  });
  EXPECT_NE(error, "");
  EXPECT_EQ(token.use_count(), 1);
  EXPECT_EQ(ended, 32);
}

TEST_F(SimtRules, AKernelThatSwallowsTheUnwindingStillEnds) {
  int rounds = 0;
  const std::string error = error_of([&] {
    for (int round = 0; round < 3; ++round) {
      try {
        if (thread_index() < 64 || round > 0) sync_block();
        if (thread_index() >= 64 && round == 0) sync_block_or(true);
      } catch (...) {
        ++rounds;
      }
    }
  });
  EXPECT_EQ(error, "block 0, thread 64: sync_block_or where warp 0 of its block has sync_block");
  EXPECT_GT(rounds, 0);
}

TEST_F(SimtRules, Shapes) {
  const auto nothing = [] {};
  EXPECT_EQ(run_on_host({.threads = 33}, nothing), "threads: expected a multiple of 32 up to 1024, got 33");
  EXPECT_EQ(run_on_host({.threads = 0}, nothing), "threads: expected a multiple of 32 up to 1024, got 0");
  EXPECT_EQ(run_on_host({.threads = 1056}, nothing), "threads: expected a multiple of 32 up to 1024, got 1056");
  EXPECT_EQ(run_on_host({.blocks = 0}, nothing), "blocks: expected a multiple of the 1 of a cluster, got 0");
  EXPECT_EQ(run_on_host({.blocks = 6, .cluster_blocks = 4}, nothing),
            "blocks: expected a multiple of the 4 of a cluster, got 6");
  EXPECT_EQ(run_on_host({.blocks = 17, .cluster_blocks = 17}, nothing), "cluster_blocks: expected 1 to 16, got 17");
  EXPECT_EQ(run_on_host({.shared_bytes = 227 * 1024 + 1}, nothing), "shared_bytes: expected 0 to 232448, got 232449");
  EXPECT_EQ(run_on_host({.shared_bytes = 227 * 1024}, nothing), "");
}

TEST_F(SimtRules, LaunchInsideAKernel) {
  std::string inner;
  EXPECT_EQ(error_of([&] { inner = run_on_host({}, [] {}); }), "");
  EXPECT_EQ(inner, "run_on_host was called inside a kernel");
}

TEST_F(SimtRules, DeviceCodeOutsideOfALaunch) {
  EXPECT_THROW(thread_index(), std::logic_error);
  EXPECT_THROW(sync_block(), std::logic_error);
  EXPECT_THROW(warp_sum(1), std::logic_error);
}

TEST_F(SimtRules, HostThreadsLaunchAtOnce) {
  std::vector<std::string> errors(4, "not run");
  std::vector<std::uint32_t> counts(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    threads.emplace_back([&, i] {
      errors[i] = run_on_host({.blocks = 20, .threads = 128, .order_seed = i}, [&] {
        for (int round = 0; round < 10; ++round) sync_block(), sync_warp();
        atomic_add(&counts[i], 1);
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(errors, std::vector<std::string>(4));
  EXPECT_EQ(counts, std::vector<std::uint32_t>(4, 20 * 128));
}

}  // namespace
}  // namespace keysieve::simt

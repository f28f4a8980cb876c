#include "cuda/simt/cluster.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "simt/launch.hpp"

namespace keysieve::simt {
namespace {

struct ClusterShape {
  int cluster_blocks;
  int threads;
};

class SimtCluster : public ::testing::TestWithParam<ClusterShape> {};

// Every block publishes a number per thread; every block sums what the others published.
TEST_P(SimtCluster, BlocksExchangeThroughRemoteShared) {
  const int cluster_blocks_wanted = GetParam().cluster_blocks, threads = GetParam().threads;
  const std::int64_t blocks = 3 * cluster_blocks_wanted;
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(blocks * threads));
    bool right = true;
    const auto kernel = [&] {
      right = right && cluster_blocks() == cluster_blocks_wanted;
      right = right && cluster_rank() == block_index() % cluster_blocks_wanted;
      auto* small = reinterpret_cast<std::uint32_t*>(shared_memory());
      auto* large = reinterpret_cast<std::uint64_t*>(small + block_threads());
      const auto place = static_cast<std::uint64_t>(block_index() * block_threads() + thread_index());
      small[thread_index()] = static_cast<std::uint32_t>(place);
      large[thread_index()] = place << 32;
      sync_cluster();
      std::uint64_t sum = 0;
      for (int rank = 0; rank < cluster_blocks(); ++rank) {
        sum += RemoteShared(small, rank).load_u32(thread_index()) + RemoteShared(large, rank).load_u64(thread_index());
      }
      sums[place] = sum;
      sync_cluster();  // nobody ends while it is read
    };
    const LaunchShape shape{.blocks = blocks,
                            .threads = threads,
                            .shared_bytes = 12 * threads,
                            .cluster_blocks = cluster_blocks_wanted,
                            .order_seed = seed};
    ASSERT_EQ(run_on_host(shape, kernel), "");
    EXPECT_TRUE(right);
    for (std::int64_t place = 0; place < blocks * threads; ++place) {
      std::uint64_t sum = 0;
      for (int rank = 0; rank < cluster_blocks_wanted; ++rank) {
        const auto other = static_cast<std::uint64_t>(
            (place / threads / cluster_blocks_wanted * cluster_blocks_wanted + rank) * threads + place % threads);
        sum += other + (other << 32);
      }
      ASSERT_EQ(sums[static_cast<std::size_t>(place)], sum);
    }
  }
}

#if defined(__SANITIZE_THREAD__)  // knows at most 8192 fibers, and takes long to make them
constexpr ClusterShape kShapes[] = {{1, 64}, {8, 96}};
#else
constexpr ClusterShape kShapes[] = {{1, 64}, {2, 1024}, {8, 96}, {16, 256}};

TEST(SimtClusterLargest, SixteenBlocksOf1024Threads) {
  std::int64_t sum = 0;
  const auto kernel = [&] {
    auto* word = reinterpret_cast<std::uint32_t*>(shared_memory());
    if (thread_index() == 0) *word = static_cast<std::uint32_t>(cluster_rank());
    sync_cluster();
    sum += RemoteShared(word, thread_index() % 16).load_u32(0);
    sync_cluster();
  };
  const LaunchShape shape{.blocks = 16, .threads = 1024, .shared_bytes = 4, .cluster_blocks = 16, .order_seed = 9};
  ASSERT_EQ(run_on_host(shape, kernel), "");
  EXPECT_EQ(sum, 120 * 64 * 16);
}
#endif

INSTANTIATE_TEST_SUITE_P(Shapes, SimtCluster, ::testing::ValuesIn(kShapes));

std::string error_of_two_blocks(const std::function<void()>& kernel) {
  return run_on_host({.blocks = 2, .threads = 32, .shared_bytes = 64, .cluster_blocks = 2}, kernel);
}

TEST(SimtClusterRules, RemoteReadBeforeTheFirstSync) {
  EXPECT_EQ(error_of_two_blocks([] { RemoteShared(shared_memory(), 1 - cluster_rank()).load_u32(0); }),
            "block 0, thread 0: remote access before the first sync_cluster");
}

TEST(SimtClusterRules, RemoteReadOfABlockThatHasEnded) {
  EXPECT_EQ(error_of_two_blocks([] {
              sync_cluster();
              if (cluster_rank() == 1) RemoteShared(shared_memory(), 0).load_u32(0);
            }),
            "block 1, thread 0: remote access to rank 0, which has ended");
}

TEST(SimtClusterRules, RankAndAddressOutside) {
  EXPECT_EQ(error_of_two_blocks([] { RemoteShared(shared_memory(), 2); }),
            "block 0, thread 0: RemoteShared of rank 2 in a cluster of 2");
  EXPECT_EQ(error_of_two_blocks([] { RemoteShared(shared_memory(), -1); }),
            "block 0, thread 0: RemoteShared of rank -1 in a cluster of 2");
  EXPECT_EQ(error_of_two_blocks([] {
              const int elsewhere = 0;
              RemoteShared(&elsewhere, 0);
            }),
            "block 0, thread 0: RemoteShared of an address that is not in the block's shared memory");
}

TEST(SimtClusterRules, LoadOutsideOrMisaligned) {
  EXPECT_EQ(error_of_two_blocks([] { RemoteShared(shared_memory(), cluster_rank()).load_u32(16); }),
            "block 0, thread 0: remote access of 4 bytes at byte 64 of 64");
  EXPECT_EQ(error_of_two_blocks([] { RemoteShared(shared_memory(), cluster_rank()).load_u32(-1); }),
            "block 0, thread 0: remote access of 4 bytes at byte -4 of 64");
  EXPECT_EQ(error_of_two_blocks([] { RemoteShared(shared_memory() + 4, cluster_rank()).load_u64(0); }),
            "block 0, thread 0: remote access of 8 bytes at byte 4 of 64");
  EXPECT_EQ(error_of_two_blocks([] { RemoteShared(shared_memory() + 56, cluster_rank()).load_u64(0); }), "");
}

TEST(SimtClusterRules, ABlockThatSkipsTheSync) {
  EXPECT_EQ(error_of_two_blocks([] {
              if (cluster_rank() == 0) sync_cluster();
            }),
            "no thread can go on: block 0: warp 0 at sync_cluster; block 1: warp 0 at return from the kernel;");
  EXPECT_EQ(error_of_two_blocks([] {
              cluster_rank() == 0 ? sync_cluster() : sync_block();
              sync_cluster();
            }),
            "no thread can go on: block 0: warp 0 at sync_cluster; block 1: warp 0 at return from the kernel;")
      << "one cluster barrier of block 0 pairs with the later one of block 1";
}

// A cluster barrier is missing between the write and the read, which a plain order hides from block 1.
TEST(SimtClusterRules, ShuffledOrderFindsAMissingSync) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    bool right = true;
    const auto kernel = [&] {
      auto* word = reinterpret_cast<std::uint32_t*>(shared_memory());
      if (thread_index() == 0) *word = 7;
      sync_cluster();
      if (thread_index() == 0 && cluster_rank() == 0) *word = 8;
      if (cluster_rank() == 1) right = right && RemoteShared(word, 0).load_u32(0) == 8;
      sync_cluster();
    };
    const LaunchShape shape{.blocks = 2, .threads = 64, .shared_bytes = 4, .cluster_blocks = 2, .order_seed = seed};
    ASSERT_EQ(run_on_host(shape, kernel), "");
    wrong += right ? 0 : 1;
  }
  EXPECT_GT(wrong, 5);
}

}  // namespace
}  // namespace keysieve::simt

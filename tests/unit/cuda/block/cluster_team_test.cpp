#include "cuda/block/cluster_team.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "cuda/block/block_harness.hpp"

namespace keysieve::test {
namespace {

constexpr int kThreads = 64;

// `body` runs in every thread of a cluster of `blocks`, everything being reset and visible. Empty, or the broken rule.
std::string run_cluster(int blocks, std::uint64_t seed,
                        const std::function<void(const Block&, const ClusterTeam&)>& body) {
  SelectKernelArgs args{};
  args.problem.k = 10;
  args.candidate_capacity = 8;
  simt::LaunchShape shape;
  shape.blocks = blocks;
  shape.threads = kThreads;
  shape.cluster_blocks = blocks;
  shape.shared_bytes = SharedLayout(args.candidate_capacity, sizeof(ClusterMemory)).bytes;
  shape.order_seed = seed;
  return simt::run_on_host(shape, [&] {
    const Block block(args);
    const ClusterTeam team(block, simt::cluster_blocks());
    block.reset_state();
    block.clear_bins();
    team.clear();
    simt::sync_cluster();
    body(block, team);
  });
}

constexpr int kBlocks[] = {1, 2, 3, 5, 8, 16};

TEST(ClusterTeam, FindsTheRangeOfAllKeys) {
  for (const int blocks : kBlocks) {
    std::mt19937_64 random(static_cast<std::uint64_t>(blocks));
    std::vector<Key> keys(static_cast<std::size_t>(blocks * kThreads));
    for (Key& key : keys) key = static_cast<Key>(random());
    const auto [lowest, highest] = std::minmax_element(keys.begin(), keys.end());
    const std::string fault = run_cluster(blocks, 3, [&](const Block&, const ClusterTeam& team) {
      const Key mine = keys[static_cast<std::size_t>(team.rank() * kThreads + simt::thread_index())];
      for (const int exchange : {0, 1}) {
        const KeyRange range = team.range(exchange, {mine, mine});
        ASSERT_EQ(range.lowest, *lowest);
        ASSERT_EQ(range.highest, *highest);
      }
      const KeyRange none = team.range(0, {});
      ASSERT_GT(none.lowest, none.highest);
    });
    ASSERT_EQ(fault, "") << blocks << " blocks";
  }
}

// Round after round: the sums of one must not be left to the next.
TEST(ClusterTeam, FindsTheBinOfTheKthInTheSumOfAllBins) {
  for (const int blocks : kBlocks) {
    std::mt19937_64 random(static_cast<std::uint64_t>(blocks) + 50);
    for (int turn = 0; turn < 3; ++turn) {
      std::vector<std::vector<std::uint32_t>> rounds;
      for (int i = 0; i < 2 * blocks; ++i) {
        std::vector<std::uint32_t> bins(static_cast<std::size_t>(kSelectBins));
        for (std::uint32_t& bin : bins) bin = random() % 7 == 0 ? static_cast<std::uint32_t>(random() % 5) : 0;
        rounds.push_back(bins);
      }
      const auto wanted = static_cast<std::uint32_t>(random() % 200 + 1);
      const std::string fault = run_cluster(blocks, random() % 5, [&](const Block& block, const ClusterTeam& team) {
        for (int round = 0; round < 2; ++round) {
          simt::sync_cluster();
          const auto& mine = rounds[static_cast<std::size_t>(round * blocks + team.rank())];
          for (int i = simt::thread_index(); i < kSelectBins; i += simt::block_threads()) {
            block.bins[i] = mine[static_cast<std::size_t>(i)];
          }
          const FoundBin found = team.find_bin(wanted);
          std::uint32_t above = 0, count = 0;
          std::size_t bin = static_cast<std::size_t>(kSelectBins);
          while (above + count < wanted && bin > 0) {
            above += count;
            count = 0;
            --bin;
            for (int other = 0; other < blocks; ++other) {
              count += rounds[static_cast<std::size_t>(round * blocks + other)][bin];
            }
          }
          if (above + count < wanted) {
            ASSERT_EQ(found.count, 0u);
          } else {
            ASSERT_EQ(found.bin, bin);
            ASSERT_EQ(found.above, above);
            ASSERT_EQ(found.count, count);
          }
        }
      });
      ASSERT_EQ(fault, "") << blocks << " blocks";
    }
  }
}

TEST(ClusterTeam, SumsInFrontAndInAll) {
  for (const int blocks : kBlocks) {
    const std::string fault = run_cluster(blocks, 2, [&](const Block&, const ClusterTeam& team) {
      for (const int exchange : {0, 1, 2, 3}) {
        const TeamSum sum = team.sum(exchange, static_cast<std::uint32_t>(10 + team.rank()));
        const auto sum_below = [](int rank) { return static_cast<std::uint32_t>(10 * rank + rank * (rank - 1) / 2); };
        ASSERT_EQ(sum.before, sum_below(team.rank()));
        ASSERT_EQ(sum.total, sum_below(blocks));
      }
    });
    ASSERT_EQ(fault, "") << blocks << " blocks";
  }
}

// Every block gets all of them, in the order of the blocks, however they are spread: 64 at most in all.
TEST(ClusterTeam, BringsTheBoundariesTogether) {
  for (const int blocks : kBlocks) {
    for (const bool spread : {false, true}) {
      const auto count_of = [&](int rank) { return spread ? 64 / blocks - rank % 2 : (rank == blocks / 2 ? 64 : 0); };
      const auto entry = [](int rank, int i) {
        return make_composite(static_cast<Key>(rank), static_cast<std::uint32_t>(i));
      };
      std::vector<Composite> expected;
      for (int rank = 0; rank < blocks; ++rank) {
        for (int i = 0; i < count_of(rank); ++i) expected.push_back(entry(rank, i));
      }
      const std::string fault = run_cluster(blocks, 4, [&](const Block& block, const ClusterTeam& team) {
        const int count = count_of(team.rank());
        for (int i = simt::thread_index(); i < count; i += simt::block_threads()) {
          block.boundary[i] = entry(team.rank(), i);
        }
        if (simt::thread_index() == 0) block.state->num_boundary = static_cast<std::uint32_t>(count);
        simt::sync_block();
        team.send_boundary();
        team.sync();
        team.receive_boundary();
        simt::sync_block();
        ASSERT_EQ(block.state->num_boundary, expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(block.boundary[i], expected[i]);
      });
      ASSERT_EQ(fault, "") << blocks << " blocks";
    }
  }
}

}  // namespace
}  // namespace keysieve::test

// One block of the CUDA engine on the host, for tests of its parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "cuda/block/block.hpp"
#include "simt/launch.hpp"

namespace keysieve::test {

struct BlockSetup {
  int threads = 64;
  std::int32_t capacity = 0;
  std::int64_t k = 1;
  std::uint64_t order_seed = 0;
  Ties ties = Ties::kSmallest;
  bool nan_is_highest = false;
  Key floor_key = 0;
};

// `body` runs in every thread, behind a barrier. Empty, or the broken rule.
inline std::string run_block(const BlockSetup& setup, const std::function<void(const Block&)>& body) {
  SelectKernelArgs args{};
  args.problem.k = setup.k;
  args.problem.ties = setup.ties;
  args.candidate_capacity = setup.capacity;
  args.nan_is_highest = setup.nan_is_highest ? 1 : 0;
  args.floor_key = setup.floor_key;
  simt::LaunchShape shape;
  shape.threads = setup.threads;
  shape.shared_bytes = SharedLayout(setup.capacity).bytes;
  shape.order_seed = setup.order_seed;
  return simt::run_on_host(shape, [&] {
    const Block block(args);
    block.reset_state();
    block.clear_bins();
    simt::sync_block();
    body(block);
  });
}

// All threads; ends with a barrier. As if every one had been keyed.
inline void put_candidates(const Block& block, const std::vector<Composite>& candidates) {
  const auto count = static_cast<std::int32_t>(candidates.size());
  for (std::int32_t i = simt::thread_index(); i < count; i += simt::block_threads()) {
    block.candidates[i] = candidates[static_cast<std::size_t>(i)];
  }
  if (simt::thread_index() == 0) {
    block.state->num_candidates = static_cast<std::uint32_t>(count);
    block.state->num_keyed = static_cast<std::uint32_t>(count);
  }
  simt::sync_block();
}

// What the buffer holds; one thread, everything being visible.
inline std::vector<Composite> candidates_of(const Block& block) {
  return {block.candidates, block.candidates + block.state->num_candidates};
}

// Histogram bins that are not zero; one thread, everything being visible.
inline int bins_in_use(const Block& block) {
  return static_cast<int>(kSelectBins - std::count(block.bins, block.bins + kSelectBins, 0u));
}

inline std::vector<Composite> k_largest(std::vector<Composite> all, std::size_t k) {
  std::sort(all.begin(), all.end(), std::greater<>());
  all.resize(std::min(k, all.size()));
  return all;
}

// Distinct composites of one of several kinds: where the histogram of block_select has an easy or a hard time.
inline constexpr int kCompositeKinds = 8;

inline std::vector<Composite> make_composites(int kind, std::size_t count, std::mt19937_64& random) {
  std::vector<Composite> all;
  while (all.size() < count) {
    const std::size_t missing = count - all.size();
    for (std::size_t j = 0; j < missing; ++j) {
      const std::uint64_t i = all.size();
      switch (kind) {
        case 0:  // anything
          all.push_back(random());
          break;
        case 1:  // one key
          all.push_back(make_composite(0x80000000u, static_cast<std::uint32_t>(~i)));
          break;
        case 2:  // the highest numbers
          all.push_back(~std::uint64_t{0} - i);
          break;
        case 3:  // the lowest
          all.push_back(i);
          break;
        case 4:  // both ends and nothing between
          all.push_back(random() % 2 == 0 ? ~(random() % (4 * count)) : random() % (4 * count));
          break;
        case 5:  // a crowd and one far away
          all.push_back(i == 0 ? ~std::uint64_t{0} : make_composite(7, static_cast<std::uint32_t>(random())));
          break;
        case 6:  // powers of two and their neighbours: each histogram narrows little
          all.push_back((std::uint64_t{1} << random() % 64) + random() % (count + 3));
          break;
        default:  // few keys
          all.push_back(make_composite(static_cast<Key>(random() % 3), static_cast<std::uint32_t>(i)));
          break;
      }
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  std::shuffle(all.begin(), all.end(), random);
  return all;
}

}  // namespace keysieve::test

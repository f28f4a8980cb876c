#include "read_floor.hpp"

#include <cstddef>

namespace keysieve::bench {

// Sixteen independent sums of eight words: wide loads on every target, never waiting for one another.
__attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3"))) std::uint32_t read_once(
    std::span<const std::uint32_t> words) {
  constexpr std::size_t kLanes = 128;
  std::uint32_t sums[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= words.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] ^= words[i + lane];
  }
  std::uint32_t total = 0;
  for (; i < words.size(); ++i) total ^= words[i];
  for (const std::uint32_t sum : sums) total ^= sum;
  return total;
}

}  // namespace keysieve::bench

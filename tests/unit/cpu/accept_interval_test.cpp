#include "cpu/accept_interval.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace keysieve::cpu {
namespace {

// Every cutoff that matters: each key of the format, its neighbours, and the reserved ones.
template <typename Format>
std::vector<Key> interesting_cutoffs(Key nan_key, std::uint32_t step) {
  std::set<Key> cutoffs = {0, 1, 2, kKeyNanHighest - 1, kKeyNanHighest, kKeyForced};
  for (std::uint32_t bits = 0; bits <= 0xFFFF; bits += step) {
    const auto pattern = static_cast<typename Format::Bits>(Format::kWidth == 16 ? bits : bits << 16);
    for (int near = -1; near <= 1; ++near) {
      cutoffs.insert(ordered_key<Format>(pattern, nan_key) + static_cast<Key>(near));
    }
  }
  for (const std::uint32_t edge :
       {0u, static_cast<std::uint32_t>(Format::kSignMask), static_cast<std::uint32_t>(Format::kInfinity),
        static_cast<std::uint32_t>(Format::kSignMask | Format::kInfinity)}) {
    for (int near = -2; near <= 2; ++near) {
      cutoffs.insert(ordered_key<Format>(static_cast<typename Format::Bits>(edge), nan_key) + static_cast<Key>(near));
    }
  }
  return {cutoffs.begin(), cutoffs.end()};
}

template <typename Format>
void expect_all_16_bit_patterns(Key nan_key) {
  for (const Key cutoff : interesting_cutoffs<Format>(nan_key, 61)) {
    const AcceptInterval<Format> interval = accept_interval<Format>(cutoff, nan_key);
    for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
      const auto pattern = static_cast<std::uint16_t>(bits);
      ASSERT_EQ(accepts(interval, pattern), ordered_key<Format>(pattern, nan_key) >= cutoff)
          << std::hex << "cutoff " << cutoff << " bits " << bits << " nan key " << nan_key;
    }
  }
}

TEST(AcceptInterval, BFloat16Exhaustive) {
  expect_all_16_bit_patterns<BFloat16Bits>(kKeyNanLowest);
  expect_all_16_bit_patterns<BFloat16Bits>(kKeyNanHighest);
}

TEST(AcceptInterval, Float16Exhaustive) {
  expect_all_16_bit_patterns<Float16Bits>(kKeyNanLowest);
  expect_all_16_bit_patterns<Float16Bits>(kKeyNanHighest);
}

TEST(AcceptInterval, Float32AtEveryBoundary) {
  for (const Key nan_key : {kKeyNanLowest, kKeyNanHighest}) {
    std::set<std::uint32_t> patterns;
    for (std::uint32_t high = 0; high <= 0xFFFF; high += 251) {
      for (const std::uint32_t low : {0u, 1u, 0x7FFFu, 0xFFFFu}) patterns.insert((high << 16) | low);
    }
    for (const std::uint32_t edge : {0u, 0x80000000u, 0x7F800000u, 0xFF800000u, 0x7FFFFFFFu}) {
      for (int near = -2; near <= 2; ++near) patterns.insert(edge + static_cast<std::uint32_t>(near));
    }
    for (const Key cutoff : interesting_cutoffs<Float32Bits>(nan_key, 509)) {
      const AcceptInterval<Float32Bits> interval = accept_interval<Float32Bits>(cutoff, nan_key);
      for (const std::uint32_t bits : patterns) {
        ASSERT_EQ(accepts(interval, bits), ordered_key<Float32Bits>(bits, nan_key) >= cutoff)
            << std::hex << "cutoff " << cutoff << " bits " << bits << " nan key " << nan_key;
      }
    }
  }
}

}  // namespace
}  // namespace keysieve::cpu

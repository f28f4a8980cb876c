#include "core/key_order.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace keysieve {
namespace {

// The order that the contract states, on values and not on bits.
int compare(double a, double b, bool nan_highest) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (std::isnan(a)) return nan_highest ? 1 : -1;
  if (std::isnan(b)) return nan_highest ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

double bfloat16_value(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

double float16_value(std::uint16_t bits) {
  const double magnitude = (bits & 0x7C00) == 0x7C00 ? ((bits & 0x3FF) != 0 ? NAN : INFINITY)
                           : (bits & 0x7C00) == 0    ? std::ldexp(bits & 0x3FF, -24)
                                                     : std::ldexp(1024 + (bits & 0x3FF), ((bits >> 10) & 31) - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

template <typename Format, typename Value>
void expect_order_of_all_16_bit_patterns(Value value, Key nan_key) {
  // Against a sparse set of others: 65536 x 331 comparisons.
  for (std::uint32_t a = 0; a <= 0xFFFF; ++a) {
    const Key key_a = ordered_key<Format>(static_cast<std::uint16_t>(a), nan_key);
    for (std::uint32_t b = 0; b <= 0xFFFF; b += 198) {
      const Key key_b = ordered_key<Format>(static_cast<std::uint16_t>(b), nan_key);
      const int by_key = key_a < key_b ? -1 : key_a > key_b ? 1 : 0;
      const int by_value = compare(value(static_cast<std::uint16_t>(a)), value(static_cast<std::uint16_t>(b)),
                                   nan_key == kKeyNanHighest);
      ASSERT_EQ(by_key, by_value) << std::hex << a << " against " << b;
    }
  }
}

TEST(KeyOrder, BFloat16MatchesValues) {
  expect_order_of_all_16_bit_patterns<BFloat16Bits>(bfloat16_value, kKeyNanLowest);
  expect_order_of_all_16_bit_patterns<BFloat16Bits>(bfloat16_value, kKeyNanHighest);
}

TEST(KeyOrder, Float16MatchesValues) {
  expect_order_of_all_16_bit_patterns<Float16Bits>(float16_value, kKeyNanLowest);
  expect_order_of_all_16_bit_patterns<Float16Bits>(float16_value, kKeyNanHighest);
}

TEST(KeyOrder, Float32MatchesValuesAtEveryBoundary) {
  std::vector<std::uint32_t> patterns;
  for (const std::uint32_t edge : {0x00000000u, 0x00000001u, 0x007FFFFFu, 0x00800000u, 0x3F800000u, 0x7F7FFFFFu,
                                   0x7F800000u, 0x7F800001u, 0x7FC00000u, 0x7FFFFFFFu}) {
    for (const std::uint32_t sign : {0u, 0x80000000u}) {
      for (int step = -2; step <= 2; ++step) patterns.push_back((edge + static_cast<std::uint32_t>(step)) ^ sign);
    }
  }
  for (const Key nan_key : {kKeyNanLowest, kKeyNanHighest}) {
    for (const std::uint32_t a : patterns) {
      for (const std::uint32_t b : patterns) {
        const Key key_a = ordered_key<Float32Bits>(a, nan_key), key_b = ordered_key<Float32Bits>(b, nan_key);
        ASSERT_EQ(key_a < key_b   ? -1
                  : key_a > key_b ? 1
                                  : 0,
                  compare(std::bit_cast<float>(a), std::bit_cast<float>(b), nan_key == kKeyNanHighest))
            << std::hex << a << " against " << b;
      }
    }
  }
}

TEST(KeyOrder, ReservedKeysLieOutsideAllScores) {
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const Key lowest = ordered_key<BFloat16Bits>(static_cast<std::uint16_t>(bits), kKeyNanLowest);
    const Key highest = ordered_key<BFloat16Bits>(static_cast<std::uint16_t>(bits), kKeyNanHighest);
    ASSERT_GT(lowest, kKeyPadding);
    ASSERT_LT(highest, kKeyForced);
  }
  EXPECT_GT(kKeyNegativeInfinity<Float32Bits>, kKeyNanLowest);
  EXPECT_LT(number_key<Float32Bits>(Float32Bits::kInfinity), kKeyNanHighest);
}

}  // namespace
}  // namespace keysieve

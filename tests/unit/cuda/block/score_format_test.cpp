// Comparisons in FP32 against the order of keys: every 16-bit pattern, and FP32 where orders go wrong.
#include "cuda/block/score_format.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "cases/float_formats.hpp"

namespace keysieve::test {
namespace {

template <typename Format>
std::vector<std::uint32_t> interesting_bits() {
  std::vector<std::uint32_t> bits;
  constexpr std::uint32_t kSign = Format::kSignMask, kInfinity = Format::kInfinity;
  constexpr std::uint32_t kQuiet = (kInfinity >> 1 | kInfinity) & ~kSign;
  constexpr std::uint32_t kLeastNormal = kInfinity & (~kInfinity + 1);
  for (const std::uint32_t at : {0u, 1u, 2u, kLeastNormal - 1, kLeastNormal, kLeastNormal + 1, kInfinity / 2,
                                 kInfinity / 2 + 1, kInfinity - 1, kInfinity, kInfinity + 1, kQuiet, kSign - 1}) {
    bits.push_back(at);
    bits.push_back(at | kSign);
  }
  return bits;
}

// Vectors that hold every pattern of a 16-bit type, or chosen and random ones of FP32.
template <typename Format>
std::vector<simt::Vector> all_vectors() {
  std::vector<std::uint32_t> bits;
  if constexpr (Format::kWidth == 16) {
    for (std::uint32_t i = 0; i < 65536; ++i) bits.push_back(i);
  } else {
    bits = interesting_bits<Format>();
    std::mt19937 random(5);
    while (bits.size() < 6000) {
      const std::uint32_t near_one = bits[random() % 26] + static_cast<std::uint32_t>(random() % 5) - 2;
      bits.push_back(random() % 3 == 0 ? near_one : static_cast<std::uint32_t>(random()));
    }
  }
  constexpr std::size_t kColumns = kVectorColumns<Format>;
  std::vector<simt::Vector> vectors((bits.size() + kColumns - 1) / kColumns);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    std::uint32_t& word = vectors[i / kColumns].words[i % kColumns * Format::kWidth / 32];
    word |= bits[i] << (i * Format::kWidth % 32);
  }
  return vectors;
}

// Keys of scores, their neighbours, and keys that no score has.
template <typename Format>
std::vector<Key> cutoff_keys() {
  std::vector<Key> keys = {
      0, 1, 2, 3, 0x7FFFFFFEu, 0x7FFFFFFFu, 0x80000000u, kKeyNanHighest - 1, kKeyNanHighest, kKeyForced};
  std::vector<std::uint32_t> bits = interesting_bits<Format>();
  std::mt19937 random(Format::kInfinity);
  for (int i = 0; i < 12; ++i) bits.push_back(static_cast<std::uint32_t>(random()) >> (32 - Format::kWidth));
  for (const std::uint32_t at : bits) {
    const auto narrow = static_cast<typename Format::Bits>(at);
    if (is_nan<Format>(narrow)) continue;
    const Key key = number_key<Format>(narrow);
    for (const Key near : {key - 1, key, key + 1, key + 0x8000u}) keys.push_back(near);
  }
  return keys;
}

template <typename Format>
class ScoreFormat : public testing::Test {};
using Formats = testing::Types<Float32Bits, BFloat16Bits, Float16Bits>;
TYPED_TEST_SUITE(ScoreFormat, Formats);

TYPED_TEST(ScoreFormat, ColumnsAndValues) {
  using Format = TypeParam;
  const std::vector<simt::Vector> vectors = all_vectors<Format>();
  for (const simt::Vector& vector : vectors) {
    for (int column = 0; column < kVectorColumns<Format>; ++column) {
      const auto bits = column_bits<Format>(vector, column);
      typename Format::Bits in_memory[static_cast<std::size_t>(kVectorColumns<Format>)];
      std::memcpy(in_memory, &vector, sizeof vector);
      ASSERT_EQ(bits, in_memory[column]);
      std::uint32_t expected = 0;
      if constexpr (std::is_same_v<Format, Float32Bits>) expected = bits;
      if constexpr (std::is_same_v<Format, BFloat16Bits>) expected = cases::float_from_bfloat16(bits);
      if constexpr (std::is_same_v<Format, Float16Bits>) expected = cases::float_from_float16(bits);
      if (is_nan<Format>(bits)) {
        const float value = score_value<Format>(bits);
        ASSERT_NE(value, value);
      } else {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(score_value<Format>(bits)), expected) << bits;
      }
    }
  }
}

TYPED_TEST(ScoreFormat, ThresholdValueSplitsNumbersAsTheirKeysDo) {
  using Format = TypeParam;
  const std::vector<simt::Vector> vectors = all_vectors<Format>();
  for (const Key key : cutoff_keys<Format>()) {
    for (const std::uint64_t at : {std::uint64_t{key}, std::uint64_t{key} + 1}) {
      if (at <= kKeyNanLowest) continue;
      const float threshold = threshold_value<Format>(at);
      for (const simt::Vector& vector : vectors) {
        for (int column = 0; column < kVectorColumns<Format>; ++column) {
          const auto bits = column_bits<Format>(vector, column);
          const bool reached = !is_nan<Format>(bits) && number_key<Format>(bits) >= at;
          ASSERT_EQ(score_value<Format>(bits) >= threshold, reached) << std::hex << bits << " at key " << at;
        }
      }
    }
  }
}

TYPED_TEST(ScoreFormat, VectorTestTakesWhatTheCutoffSays) {
  using Format = TypeParam;
  const std::vector<simt::Vector> vectors = all_vectors<Format>();
  for (const Key key : cutoff_keys<Format>()) {
    if (key > kKeyNanHighest) continue;  // no score gets there, so no cutoff does
    for (const bool nan_is_highest : {false, true}) {
      const VectorTest<Format> test(Cutoff{key, 0}, nan_is_highest);
      const Key nan_key = nan_is_highest ? kKeyNanHighest : kKeyNanLowest;
      for (const simt::Vector& vector : vectors) {
        std::uint32_t above = 0, equal = 0, nan = 0;
        for (int column = 0; column < kVectorColumns<Format>; ++column) {
          const auto bits = column_bits<Format>(vector, column);
          const Key own = ordered_key<Format>(bits, nan_key);
          above |= (own > key ? 1u : 0u) << column;
          equal |= (own >= key ? 1u : 0u) << column;
          nan |= (is_nan<Format>(bits) ? 1u : 0u) << column;
        }
        ASSERT_EQ(test.taken(vector, false), above) << std::hex << key << " in " << vector.words[0];
        ASSERT_EQ(test.taken(vector, true), equal) << std::hex << key << " in " << vector.words[0];
        ASSERT_EQ(VectorTest<Format>::nan_columns(vector), nan);
      }
    }
  }
}

TYPED_TEST(ScoreFormat, ShiftInTakenMatchesKeys) {
  using Format = TypeParam;
  constexpr int kColumns = kVectorColumns<Format>;
  const std::vector<simt::Vector> vectors = all_vectors<Format>();
  for (const Key key : cutoff_keys<Format>()) {
    if (key <= kKeyNegativeInfinity<Format>) continue;
    for (const std::uint64_t at : {std::uint64_t{key}, std::uint64_t{key} + 1}) {
      const float below = value_below<Format>(at);
      for (const simt::Vector& vector : vectors) {
        std::uint32_t expected = 0x5u << kColumns;
        for (int column = 0; column < kColumns; ++column) {
          const auto bits = column_bits<Format>(vector, column);
          expected |= (!is_nan<Format>(bits) && number_key<Format>(bits) >= at ? 1u : 0u) << column;
        }
        ASSERT_EQ(shift_in_taken<Format>(0x5u, vector, below), expected)
            << std::hex << "key " << at << " in " << vector.words[0] << ' ' << vector.words[1];
      }
    }
  }
}

TYPED_TEST(ScoreFormat, HintMarginIsASixteenthOfAnOctave) {
  using Format = TypeParam;
  constexpr std::uint32_t kTwo = std::is_same_v<Format, Float32Bits>    ? 0x40000000u
                                 : std::is_same_v<Format, BFloat16Bits> ? 0x4000u
                                                                        : 0x4000u;
  const Key key = number_key<Format>(static_cast<typename Format::Bits>(kTwo));
  EXPECT_EQ(threshold_value<Format>(key), 2.f);
  EXPECT_EQ(threshold_value<Format>(key - kHintMargin<Format>), 1.9375f);
}

}  // namespace
}  // namespace keysieve::test

// Scores in registers: how a 16-byte vector of each type is taken apart and tested against a cutoff.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/key_order.hpp"
#include "cuda/block/composite.hpp"
#include "cuda/simt/simt.hpp"

namespace keysieve {

template <typename Format>
inline constexpr int kVectorColumns = 16 * 8 / Format::kWidth;

// Bits of column `column` (a constant after unrolling) of a vector.
template <typename Format>
KEYSIEVE_DEVICE typename Format::Bits column_bits(const simt::Vector& vector, int column) {
  if constexpr (Format::kWidth == 32) {
    return vector.words[column];
  } else {
    return static_cast<typename Format::Bits>(vector.words[column / 2] >> (16 * (column % 2)));
  }
}

// The score as FP32, exactly. A NaN stays one.
template <typename Format>
KEYSIEVE_DEVICE float score_value(typename Format::Bits bits) {
  return simt::float_from_bits(bits);
}
template <>
KEYSIEVE_DEVICE float score_value<BFloat16Bits>(std::uint16_t bits) {
  return simt::float_from_bits(static_cast<std::uint32_t>(bits) << 16);
}
template <>
KEYSIEVE_DEVICE float score_value<Float16Bits>(std::uint16_t bits) {
  return simt::float_from_half(bits);
}

// Bits of the largest of a vector's scores; NaN counts as none, unless there is nothing else.
template <typename Format>
KEYSIEVE_DEVICE typename Format::Bits best_bits(const simt::Vector& vector) {
  const std::uint32_t* words = vector.words;
  return simt::bits_from_float(
      simt::max_number(simt::max_number(simt::float_from_bits(words[0]), simt::float_from_bits(words[1])),
                       simt::max_number(simt::float_from_bits(words[2]), simt::float_from_bits(words[3]))));
}
template <>
KEYSIEVE_DEVICE std::uint16_t best_bits<Float16Bits>(const simt::Vector& vector) {
  const std::uint32_t* words = vector.words;
  const std::uint32_t best =
      simt::max_numbers_half(simt::max_numbers_half(words[0], words[1]), simt::max_numbers_half(words[2], words[3]));
  return static_cast<std::uint16_t>(simt::max_numbers_half(best, best >> 16));
}
template <>
KEYSIEVE_DEVICE std::uint16_t best_bits<BFloat16Bits>(const simt::Vector& vector) {
  const std::uint32_t* words = vector.words;
  const std::uint32_t best = simt::max_numbers_bfloat(simt::max_numbers_bfloat(words[0], words[1]),
                                                      simt::max_numbers_bfloat(words[2], words[3]));
  return static_cast<std::uint16_t>(simt::max_numbers_bfloat(best, best >> 16));
}

// The larger scores of two vectors, column by column; NaN counts as none, unless there is nothing else.
template <typename Format>
KEYSIEVE_DEVICE simt::Vector best_of_columns(const simt::Vector& a, const simt::Vector& b) {
  simt::Vector best;
  KEYSIEVE_UNROLL
  for (int i = 0; i < 4; ++i) {
    if constexpr (Format::kWidth == 32) {
      best.words[i] =
          simt::bits_from_float(simt::max_number(simt::float_from_bits(a.words[i]), simt::float_from_bits(b.words[i])));
    } else if constexpr (std::is_same_v<Format, Float16Bits>) {
      best.words[i] = simt::max_numbers_half(a.words[i], b.words[i]);
    } else {
      best.words[i] = simt::max_numbers_bfloat(a.words[i], b.words[i]);
    }
  }
  return best;
}

// The smallest score, as FP32, whose key is at least `key`; NaN, which no score reaches, if there is none. Only for
// keys above kKeyNanLowest.
template <typename Format>
KEYSIEVE_DEVICE float threshold_value(std::uint64_t key) {
  constexpr int kShift = 32 - Format::kWidth;
  if (key > kKeyNanHighest) return simt::float_from_bits(0x7FC00000u);
  Key at = static_cast<Key>(key);
  if (at < kKeyNegativeInfinity<Format>) at = kKeyNegativeInfinity<Format>;
  // Keys of 16-bit scores are multiples of 2^16; round up to the next.
  const std::uint64_t ordered = (static_cast<std::uint64_t>(at) + ((std::uint64_t{1} << kShift) - 1)) >> kShift;
  if ((ordered >> Format::kWidth) != 0) return simt::float_from_bits(0x7FC00000u);
  constexpr Key kSign = Format::kSignMask;
  constexpr Key kAll = (kSign << 1) - 1;
  const Key bits = (ordered & kSign) != 0 ? static_cast<Key>(ordered) ^ kSign : ~static_cast<Key>(ordered) & kAll;
  return score_value<Format>(static_cast<typename Format::Bits>(bits));
}

// The largest FP32 number below every score whose key is at least `key` and above (or equal to) the others: x is taken
// where below - x is negative. NaN yields a NaN without sign, so it is never taken. Needs key above that of -inf.
template <typename Format>
KEYSIEVE_DEVICE float value_below(std::uint64_t key) {
  constexpr Key kInfinity = 0xFF800000u;
  Key ordered = kInfinity + 1;  // nothing is above +inf
  if constexpr (Format::kWidth == 32) {
    if (key <= kInfinity) ordered = static_cast<Key>(key);
  } else {
    const float threshold = threshold_value<Format>(key);
    if (threshold == threshold) ordered = number_key<Float32Bits>(simt::bits_from_float(threshold));
  }
  --ordered;
  // The key below +0 would be that of -0, which equals it.
  if (ordered == 0x7FFFFFFFu) --ordered;
  return simt::float_from_bits((ordered & 0x80000000u) != 0 ? ordered ^ 0x80000000u : ~ordered);
}

// A cutoff made ready for testing vectors. `equal`: whether the vector's chunk is one where equal keys are taken.
template <typename Format>
class VectorTest {
 public:
  KEYSIEVE_DEVICE VectorTest(const Cutoff& cutoff, bool nan_is_highest)
      : key_(cutoff.key),
        at_or_above_(threshold_value<Format>(cutoff.key)),
        above_(threshold_value<Format>(static_cast<std::uint64_t>(cutoff.key) + 1)),
        nan_is_highest_(nan_is_highest) {}

  // Bit c: column c is taken.
  KEYSIEVE_DEVICE std::uint32_t taken(const simt::Vector& vector, bool equal) const {
    constexpr int kColumns = kVectorColumns<Format>;
    const float threshold = equal ? at_or_above_ : above_;
    std::uint32_t mask = 0;
    KEYSIEVE_UNROLL
    for (int column = 0; column < kColumns; ++column) {
      mask |= (score_value<Format>(column_bits<Format>(vector, column)) >= threshold ? 1u : 0u) << column;
    }
    // NaN compares false; these two cases take it all the same.
    if (key_ <= kKeyNanLowest && (key_ == 0 || equal)) mask = (1u << kColumns) - 1;
    if (nan_is_highest_ && (key_ < kKeyNanHighest || (key_ == kKeyNanHighest && equal))) mask |= nan_columns(vector);
    return mask;
  }

  KEYSIEVE_DEVICE static std::uint32_t nan_columns(const simt::Vector& vector) {
    std::uint32_t mask = 0;
    KEYSIEVE_UNROLL
    for (int column = 0; column < kVectorColumns<Format>; ++column) {
      mask |= (is_nan<Format>(column_bits<Format>(vector, column)) ? 1u : 0u) << column;
    }
    return mask;
  }

 private:
  Key key_;
  float at_or_above_;
  float above_;
  bool nan_is_highest_;
};

// Shifts the columns of a vector that lie above `below` into `mask`, the first column lowest: a subtraction and a
// funnel shift each, and no predicate. value_below says which `below` makes it exact.
template <typename Format>
KEYSIEVE_DEVICE std::uint32_t shift_in_taken(std::uint32_t mask, const simt::Vector& vector, float below) {
  KEYSIEVE_UNROLL
  for (int column = kVectorColumns<Format> - 1; column >= 0; --column) {
    mask = simt::shift_in_sign(mask, below - score_value<Format>(column_bits<Format>(vector, column)));
  }
  return mask;
}

// A step of a sixteenth of an octave in key space: how far a hint is lowered before it is trusted.
template <typename Format>
inline constexpr Key kHintMargin = (Key{1} << 23) / 16;
template <>
inline constexpr Key kHintMargin<Float16Bits> = (Key{1} << 26) / 16;

}  // namespace keysieve

// The kinds of rows that are measured.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace keysieve::bench {

enum class Distribution : std::int32_t {
  kNormal,          // N(0,1)
  kConstant,        // 0.5
  kAscending,       // the column (a share of the width in the 16-bit types)
  kDescending,      // the same, mirrored
  kRelu,            // max(0, N - 1.28): a tenth positive, the rest exactly 0
  kReluDeep,        // max(0, N - 2.6): fewer positives than most k, so the boundary lies in the plateau
  kLowBits,         // 10 low bits of FP32 differ (7 of the 16-bit types)
  kShifted,         // 100 + N
  kScaled,          // 1e-8 N
  kAllNan,          //
  kMostlyMinusInf,  // 3 % finite
  kUniform,         // [0, 1)
  kNarrow,          // 1 + 1e-5 N: neighbours in FP32, one number in the 16-bit types
  kManyTies,        // 64 different numbers, evenly spread
  kHiddenPeaks,     // N where the sample looks, 10 + N in an eighth of the other vectors
  kDefeatsSample,   // -1000 where the sample looks, ascending elsewhere
  kCount,
};

inline constexpr std::array<const char*, static_cast<std::size_t>(Distribution::kCount)> kDistributionNames = {
    "normal", "constant", "ascending",        "descending", "relu",   "relu_deep", "low_bits",     "shifted",
    "scaled", "all_nan",  "mostly_minus_inf", "uniform",    "narrow", "many_ties", "hidden_peaks", "defeats_sample"};

constexpr const char* name_of(Distribution distribution) {
  return kDistributionNames[static_cast<std::size_t>(distribution)];
}

constexpr bool depends_on_sample(Distribution distribution) {
  return distribution == Distribution::kHiddenPeaks || distribution == Distribution::kDefeatsSample;
}

}  // namespace keysieve::bench

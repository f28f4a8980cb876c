// The value patterns of the test data: deterministic functions of (row, column, width).
// Shared by the unit tests, `keysieve audit` and `keysieve bench`, so that a number and a fault can always be
// traced to the same input. No test framework here.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "keysieve/types.hpp"

namespace keysieve::cases {

// The hash behind every random pattern; 32-bit wrap-around arithmetic.
constexpr std::uint32_t hash32(std::uint32_t row, std::uint32_t column, std::uint32_t salt = 0) {
  std::uint32_t x = (column * 0x9E3779B1u) ^ (row * 0x85EBCA77u) ^ salt;
  x ^= x >> 16;
  x *= 0x7FEB352Du;
  x ^= x >> 15;
  x *= 0x846CA68Bu;
  x ^= x >> 16;
  return x;
}

// In [0, 1), a multiple of 2^-24.
constexpr double unit(std::uint32_t row, std::uint32_t column, std::uint32_t salt = 0) {
  return static_cast<double>(hash32(row, column, salt) >> 8) * 0x1p-24;
}

// Sum of four uniforms, unit variance, tails end at 3.46.
double gauss(std::uint32_t row, std::uint32_t column);

enum class Pattern : std::int32_t {
  kHash,     // every bit pattern of the type, NaN and infinities included
  kUniform,  // u
  kGauss,
  kRelu,                    // max(0, GAUSS - 1.28): one large plateau of exact zeros
  kUlpAscending,            // neighbours one ULP apart, the winners last; one bin for any coarse key
  kUlpDescending,           // the same values, the winners first
  kUlpShuffled,             // the same values in a fixed shuffle
  kHalfShuffled,            // HPERM: distinct 16-bit patterns, positive normals in both 16-bit types
  kLowBits,                 // LSB10: 1024 distinct FP32 values inside one FP16 value
  kBand1,                   // 1 + 0.245 u
  kBand10,                  // 10 + 0.2 u
  kConstant,                // 0.5
  kPlateau,                 // 1000 + j at column 7919 j mod width for j < parameter, 0 elsewhere
  kClusters,                // u, and 10 + u in `parameter` runs of 64 columns: misleads whoever samples the row
  kStep,                    // 0.5, and one ULP of the type more in one of 64 columns: a plateau\'s next neighbour
  kAscending,               // the column
  kDescending,              // minus the column
  kNegatives,               // -1 - (c mod 97) / 64
  kFewValues,               // five distinct values, both signs
  kAllNan,                  // every sign and payload
  kNanMix,                  // half NaN of every sign and payload, half GAUSS
  kInfinityMix,             // a third each of +inf, -inf, GAUSS
  kManyInfinities,          // +inf in six of ten columns, the rest GAUSS
  kSignedZeros,             // -0 and +0, with a few values around them
  kMostlyNegativeInfinity,  // 3 % finite
  kAllNegativeInfinity,
  kSubnormal,  // both signs
  kNarrow,     // 1 + 1e-5 GAUSS
  kShifted,    // 100 + GAUSS
  kScaled,     // 1e-8 GAUSS
  kOnePeak,    // -1000 everywhere but for one column
  kExtremes,   // lowest and highest finite values, infinities and NaN of the type
};

inline constexpr std::array kAllPatterns = {
    Pattern::kHash,
    Pattern::kUniform,
    Pattern::kGauss,
    Pattern::kRelu,
    Pattern::kUlpAscending,
    Pattern::kUlpDescending,
    Pattern::kUlpShuffled,
    Pattern::kHalfShuffled,
    Pattern::kLowBits,
    Pattern::kBand1,
    Pattern::kBand10,
    Pattern::kConstant,
    Pattern::kPlateau,
    Pattern::kClusters,
    Pattern::kStep,
    Pattern::kAscending,
    Pattern::kDescending,
    Pattern::kNegatives,
    Pattern::kFewValues,
    Pattern::kAllNan,
    Pattern::kNanMix,
    Pattern::kInfinityMix,
    Pattern::kManyInfinities,
    Pattern::kSignedZeros,
    Pattern::kMostlyNegativeInfinity,
    Pattern::kAllNegativeInfinity,
    Pattern::kSubnormal,
    Pattern::kNarrow,
    Pattern::kShifted,
    Pattern::kScaled,
    Pattern::kOnePeak,
    Pattern::kExtremes,
};

const char* name_of(Pattern pattern);

struct PatternSpec {
  Pattern kind = Pattern::kGauss;
  std::int64_t parameter = 0;   // kPlateau: the number of winners; kClusters: of runs
  std::uint32_t first_row = 0;  // row r of the buffer holds row first_row + r of the pattern

  bool operator==(const PatternSpec&) const = default;
};

std::string describe(const PatternSpec& spec);

// Writes `width` scores. The FP32 value is rounded to nearest even for the 16-bit types, except where the
// pattern is defined by bits of the type itself (kHash, kHalfShuffled, NaN, kSubnormal, kExtremes).
void fill_row(const PatternSpec& spec, ScoreType type, std::int64_t row, std::int64_t width, void* out);

// `bits` of an FP32 value as bits of `type`.
std::uint32_t bits_of_type(ScoreType type, std::uint32_t float_bits);
std::uint32_t bits_of_type(ScoreType type, double value);

std::uint32_t load_bits(ScoreType type, const void* scores, std::int64_t element);
void store_bits(ScoreType type, void* scores, std::int64_t element, std::uint32_t bits);

// The score as text: value and bits.
std::string score_text(ScoreType type, std::uint32_t bits);

}  // namespace keysieve::cases

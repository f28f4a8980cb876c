// The score at a place, from its row and column alone: host and device make the same kinds of rows by one formula.
#pragma once

#include <cmath>
#include <cstdint>

#include "bench/distribution.hpp"
#include "bench/sample_positions.hpp"
#include "core/host_device.hpp"

#if !defined(__CUDA_ARCH__)
#include <bit>
#endif

namespace keysieve::bench {

struct FillArgs {
  const std::int32_t* lengths;
  std::int64_t rows;
  std::int64_t width;
  std::int64_t stride;
  Distribution distribution;
  int log2_samples;
  int vector_columns;  // that 16 bytes hold
};

inline constexpr std::uint32_t kPlusInfBits = 0x7F800000u;
inline constexpr std::uint32_t kMinusInfBits = 0xFF800000u;
inline constexpr std::uint32_t kNanBits = 0x7FC00000u;

KEYSIEVE_HOST_DEVICE inline float float_of_bits(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}

KEYSIEVE_HOST_DEVICE inline std::uint32_t score_hash(std::uint32_t row, std::uint32_t column, std::uint32_t salt) {
  std::uint32_t x = (column * 0x9E3779B1u) ^ (row * 0x85EBCA77u) ^ salt;
  x ^= x >> 16;
  x *= 0x7FEB352Du;
  x ^= x >> 15;
  x *= 0x846CA68Bu;
  x ^= x >> 16;
  return x;
}

// In (0, 1].
KEYSIEVE_HOST_DEVICE inline float unit_of(std::uint32_t bits) {
  return fmaf(static_cast<float>(bits), 0x1p-32f, 0x1p-33f);
}

// Box-Muller: a normal distribution with its tails, which decide how many candidates pass a cutoff.
KEYSIEVE_HOST_DEVICE inline float normal_at(std::uint32_t row, std::uint32_t column) {
  const float radius = sqrtf(-2.0f * logf(unit_of(score_hash(row, column, 0x51ED270Bu))));
  const float turns = unit_of(score_hash(row, column, 0xB5297A4Du));
#if defined(__CUDA_ARCH__)
  return radius * cospif(2.0f * turns);
#else
  return radius * cosf(6.2831853f * turns);
#endif
}

KEYSIEVE_HOST_DEVICE inline bool is_sampled(const FillArgs& args, std::uint32_t row, std::uint32_t vector) {
  const std::int32_t num_vectors = (args.lengths[row] + args.vector_columns - 1) / args.vector_columns;
  return is_sampled_vector(static_cast<std::int32_t>(vector), num_vectors, args.log2_samples);
}

// The score as FP32. Ranks are spread over [0, 1) in the 16-bit types, which cannot hold large integers.
KEYSIEVE_HOST_DEVICE inline float score_at(const FillArgs& args, std::uint32_t row, std::uint32_t column) {
  constexpr float kTieSteps = 64.0f;
  const auto width = static_cast<std::uint32_t>(args.width);
  const auto rank = [&](std::uint32_t position) {
    const auto value = static_cast<float>(position);
    return args.vector_columns == 4 ? value : value / static_cast<float>(width);
  };
  const std::uint32_t vector = column / static_cast<std::uint32_t>(args.vector_columns);
  switch (args.distribution) {
    case Distribution::kConstant:
      return 0.5f;
    case Distribution::kAscending:
      return rank(column);
    case Distribution::kDescending:
      return rank(width - 1 - column);
    case Distribution::kRelu:
      return fmaxf(0.0f, normal_at(row, column) - 1.28f);
    case Distribution::kReluDeep:
      return fmaxf(0.0f, normal_at(row, column) - 2.6f);
    case Distribution::kLowBits:
      return float_of_bits(0x3F900000u | (score_hash(row, column, 1) & 0x3FFu));
    case Distribution::kShifted:
      return 100.0f + normal_at(row, column);
    case Distribution::kScaled:
      return 1e-8f * normal_at(row, column);
    case Distribution::kAllNan:
      return float_of_bits(kNanBits);
    case Distribution::kMostlyMinusInf:
      return unit_of(score_hash(row, column, 2)) < 0.03f ? normal_at(row, column) : float_of_bits(kMinusInfBits);
    case Distribution::kUniform:
      return static_cast<float>(score_hash(row, column, 4) >> 8) * 0x1p-24f;
    case Distribution::kNarrow:
      return 1.0f + 1e-5f * normal_at(row, column);
    case Distribution::kManyTies:
      return floorf(kTieSteps * static_cast<float>(score_hash(row, column, 5) >> 8) * 0x1p-24f) / kTieSteps;
    case Distribution::kHiddenPeaks: {
      const bool peak = score_hash(row, vector, 3) % 8 == 0 && !is_sampled(args, row, vector);
      return normal_at(row, column) + (peak ? 10.0f : 0.0f);
    }
    case Distribution::kDefeatsSample:
      return is_sampled(args, row, vector) ? -1000.0f : rank(column);
    default:
      return normal_at(row, column);
  }
}

// Rounding would merge the low bits of an FP32 pattern: the 16-bit types get seven of their own.
KEYSIEVE_HOST_DEVICE inline std::uint16_t low_bits_16(std::uint32_t row, std::uint32_t column) {
  return static_cast<std::uint16_t>(0x3F80u | (score_hash(row, column, 1) & 0x7Fu));
}

}  // namespace keysieve::bench

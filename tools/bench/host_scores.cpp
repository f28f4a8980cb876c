#include "bench/host_scores.hpp"

#include <bit>

#include "bench/score_formula.hpp"
#include "cpu/parallel.hpp"

namespace keysieve::bench {
namespace {

std::uint16_t half_bits(ScoreType type, float value) {
  return type == ScoreType::kBFloat16 ? to_bfloat16(value) : to_float16(value);
}

void fill_row(const FillArgs& args, ScoreType type, void* scores, std::int64_t row) {
  const auto row32 = static_cast<std::uint32_t>(row);
  for (std::int64_t column = 0; column < args.stride; ++column) {
    const auto column32 = static_cast<std::uint32_t>(column);
    const auto at = static_cast<std::size_t>(row * args.stride + column);
    const bool live = column < args.lengths[row];
    const float value = live ? score_at(args, row32, column32) : float_of_bits(kPlusInfBits);
    if (type == ScoreType::kFloat32) {
      static_cast<float*>(scores)[at] = value;
    } else if (live && args.distribution == Distribution::kLowBits) {
      static_cast<std::uint16_t*>(scores)[at] = low_bits_16(row32, column32);
    } else {
      static_cast<std::uint16_t*>(scores)[at] = half_bits(type, value);
    }
  }
}

}  // namespace

std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);  // NaN stays NaN
  return static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

std::uint16_t to_float16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return static_cast<std::uint16_t>(sign | 0x7E00u);
  if (magnitude >= 0x477FF000u) return static_cast<std::uint16_t>(sign | 0x7C00u);  // rounds past the largest number
  if (magnitude < 0x38800000u) {
    // Subnormal: adding 0.5 leaves the rounded multiple of 2^-24 in the low bits.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000u));
  }
  const std::uint32_t rounded = magnitude + 0xFFFu + (magnitude >> 13 & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

void fill_host_scores(const ScoreRows& rows, void* scores, Distribution distribution, int log2_samples, int threads) {
  const FillArgs args = {rows.lengths,
                         rows.rows,
                         rows.width,
                         rows.stride,
                         distribution,
                         log2_samples,
                         static_cast<int>(16 / size_bytes(rows.type))};
  const auto fill = [&](std::int32_t, std::int64_t row) { fill_row(args, rows.type, scores, row); };
  cpu::parallel_for_each(threads, rows.rows, cpu::IndexedBody(fill));
}

}  // namespace keysieve::bench

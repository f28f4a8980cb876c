#include "cases/patterns.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "cases/float_formats.hpp"

namespace keysieve::cases {
namespace {

constexpr std::uint32_t kPositiveInfinity = 0x7F800000u;
constexpr std::uint32_t kNegativeInfinity = 0xFF800000u;

std::uint32_t float_bits(double value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value)); }

// Exponent mask and mantissa mask of a type, for patterns that are defined by bits.
struct Layout {
  std::uint32_t sign, infinity, mantissa;
};

constexpr Layout layout_of(ScoreType type) {
  switch (type) {
    case ScoreType::kBFloat16:
      return {0x8000u, 0x7F80u, 0x7Fu};
    case ScoreType::kFloat16:
      return {0x8000u, 0x7C00u, 0x3FFu};
    case ScoreType::kFloat32:
      break;
  }
  return {0x80000000u, 0x7F800000u, 0x7FFFFFu};
}

// A NaN of either sign and any payload; a payload of 0 would be an infinity.
std::uint32_t nan_bits(ScoreType type, std::uint32_t hash) {
  const Layout layout = layout_of(type);
  std::uint32_t payload = hash & layout.mantissa;
  if (payload == 0) payload = 1;
  return ((hash & 0x80000000u) != 0 ? layout.sign : 0u) | layout.infinity | payload;
}

constexpr std::uint32_t ulp_base(std::int64_t width) { return width <= 65536 ? 0x3F800000u : 0x30000000u; }

std::uint64_t ulp_period(std::int64_t width) {
  return width <= 65536 ? 65536u : std::bit_ceil(static_cast<std::uint64_t>(width));
}

std::uint32_t extreme_bits(ScoreType type, std::uint32_t hash) {
  const Layout layout = layout_of(type);
  switch (hash % 7u) {
    case 0:
      return layout.infinity - 1;  // highest finite value
    case 1:
      return layout.sign | (layout.infinity - 1);  // lowest finite value
    case 2:
      return layout.infinity;
    case 3:
      return layout.sign | layout.infinity;
    case 4:
      return nan_bits(type, hash);
    case 5:
      return layout.sign;  // -0
    default:
      return 1;  // smallest positive subnormal
  }
}

// Bits of `type`, without the winners of kPlateau and kClusters, which fill_row places.
std::uint32_t element_bits(const PatternSpec& spec, ScoreType type, std::uint32_t r, std::int64_t column,
                           std::int64_t width) {
  const auto c = static_cast<std::uint32_t>(column);
  const auto from_float = [type](std::uint32_t bits) { return bits_of_type(type, bits); };
  const auto from_value = [type](double value) { return bits_of_type(type, float_bits(value)); };
  const Layout layout = layout_of(type);
  switch (spec.kind) {
    case Pattern::kHash:
      return type == ScoreType::kFloat32 ? hash32(r, c) : hash32(r, c) >> 16;
    case Pattern::kUniform:
    case Pattern::kClusters:
      return from_value(unit(r, c));
    case Pattern::kGauss:
      return from_value(gauss(r, c));
    case Pattern::kRelu:
      return from_value(std::fmax(0.0, gauss(r, c) - 1.28));
    case Pattern::kUlpAscending:
      return from_float(ulp_base(width) + c);
    case Pattern::kUlpDescending:
      return from_float(ulp_base(width) + static_cast<std::uint32_t>(width - 1 - column));
    case Pattern::kUlpShuffled:
      return from_float(ulp_base(width) +
                        static_cast<std::uint32_t>(static_cast<std::uint64_t>(column) * 40503u % ulp_period(width)));
    case Pattern::kHalfShuffled: {
      const auto half = static_cast<std::uint32_t>(0x3000u + static_cast<std::uint64_t>(column) * 40503u % 4096u);
      return type == ScoreType::kFloat32 ? half << 16 : half;
    }
    case Pattern::kLowBits:
      return from_float(0x3F900000u | (hash32(r, c) & 0x3FFu));
    case Pattern::kBand1:
      return from_value(1.0 + 0.245 * unit(r, c));
    case Pattern::kBand10:
      return from_value(10.0 + 0.2 * unit(r, c));
    case Pattern::kStep:
      return from_value(0.5) + (hash32(r, c, 25) % 64u == 0 ? 1u : 0u);
    case Pattern::kConstant:
      return from_value(0.5);
    case Pattern::kPlateau:
      return 0;
    case Pattern::kAscending:
      return from_value(static_cast<double>(column));
    case Pattern::kDescending:
      return from_value(-static_cast<double>(column));
    case Pattern::kNegatives:
      return from_value(-1.0 - static_cast<double>(column % 97) / 64.0);
    case Pattern::kFewValues:
      return from_value(static_cast<double>(hash32(r, c) % 5u) - 2.0);
    case Pattern::kAllNan:
      return nan_bits(type, hash32(r, c, 7));
    case Pattern::kNanMix:
      return hash32(r, c, 9) % 2u == 0 ? nan_bits(type, hash32(r, c, 7)) : from_value(gauss(r, c));
    case Pattern::kInfinityMix:
      switch (hash32(r, c, 9) % 3u) {
        case 0:
          return from_float(kPositiveInfinity);
        case 1:
          return from_float(kNegativeInfinity);
        default:
          return from_value(gauss(r, c));
      }
    case Pattern::kManyInfinities:
      return hash32(r, c) % 10u < 6u ? from_float(kPositiveInfinity) : from_value(gauss(r, c));
    case Pattern::kSignedZeros:
      if (hash32(r, c, 9) % 50u == 0) return from_value(gauss(r, c));
      return (hash32(r, c, 11) & 1u) != 0 ? layout.sign : 0u;
    case Pattern::kMostlyNegativeInfinity:
      return hash32(r, c, 9) % 100u < 3u ? from_value(gauss(r, c)) : from_float(kNegativeInfinity);
    case Pattern::kAllNegativeInfinity:
      return from_float(kNegativeInfinity);
    case Pattern::kSubnormal: {
      const std::uint32_t hash = hash32(r, c);
      return ((hash & 0x80000000u) != 0 ? layout.sign : 0u) | (hash & layout.mantissa);
    }
    case Pattern::kNarrow:
      return from_value(1.0 + 1e-5 * gauss(r, c));
    case Pattern::kShifted:
      return from_value(100.0 + gauss(r, c));
    case Pattern::kScaled:
      return from_value(1e-8 * gauss(r, c));
    case Pattern::kOnePeak:
      return from_value(
          column == static_cast<std::int64_t>(hash32(r, 0, 13) % static_cast<std::uint64_t>(width)) ? 1.0 : -1000.0);
    case Pattern::kExtremes:
      return extreme_bits(type, hash32(r, c, 15));
  }
  return 0;
}

}  // namespace

double gauss(std::uint32_t row, std::uint32_t column) {
  return (unit(row, column, 1) + unit(row, column, 2) + unit(row, column, 3) + unit(row, column, 4) - 2.0) *
         std::sqrt(3.0);
}

const char* name_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::kHash:
      return "hash";
    case Pattern::kUniform:
      return "uniform";
    case Pattern::kGauss:
      return "gauss";
    case Pattern::kRelu:
      return "relu";
    case Pattern::kUlpAscending:
      return "ulp_ascending";
    case Pattern::kUlpDescending:
      return "ulp_descending";
    case Pattern::kUlpShuffled:
      return "ulp_shuffled";
    case Pattern::kHalfShuffled:
      return "half_shuffled";
    case Pattern::kLowBits:
      return "low_bits";
    case Pattern::kBand1:
      return "band1";
    case Pattern::kBand10:
      return "band10";
    case Pattern::kConstant:
      return "constant";
    case Pattern::kPlateau:
      return "plateau";
    case Pattern::kClusters:
      return "clusters";
    case Pattern::kStep:
      return "step";
    case Pattern::kAscending:
      return "ascending";
    case Pattern::kDescending:
      return "descending";
    case Pattern::kNegatives:
      return "negatives";
    case Pattern::kFewValues:
      return "few_values";
    case Pattern::kAllNan:
      return "all_nan";
    case Pattern::kNanMix:
      return "nan_mix";
    case Pattern::kInfinityMix:
      return "infinity_mix";
    case Pattern::kManyInfinities:
      return "many_infinities";
    case Pattern::kSignedZeros:
      return "signed_zeros";
    case Pattern::kMostlyNegativeInfinity:
      return "mostly_neg_inf";
    case Pattern::kAllNegativeInfinity:
      return "all_neg_inf";
    case Pattern::kSubnormal:
      return "subnormal";
    case Pattern::kNarrow:
      return "narrow";
    case Pattern::kShifted:
      return "shifted";
    case Pattern::kScaled:
      return "scaled";
    case Pattern::kOnePeak:
      return "one_peak";
    case Pattern::kExtremes:
      return "extremes";
  }
  return "unknown";
}

std::string describe(const PatternSpec& spec) {
  const std::string name = name_of(spec.kind);
  const bool has_parameter = spec.kind == Pattern::kPlateau || spec.kind == Pattern::kClusters;
  return has_parameter ? name + "(" + std::to_string(spec.parameter) + ")" : name;
}

void fill_row(const PatternSpec& spec, ScoreType type, std::int64_t row, std::int64_t width, void* out) {
  const std::uint32_t r = spec.first_row + static_cast<std::uint32_t>(row);
  for (std::int64_t column = 0; column < width; ++column) {
    store_bits(type, out, column, element_bits(spec, type, r, column, width));
  }
  if (spec.kind == Pattern::kPlateau && width > 0) {
    for (std::int64_t j = 0; j < spec.parameter; ++j) {
      store_bits(type, out, 7919 * j % width, bits_of_type(type, 1000.0 + static_cast<double>(j)));
    }
  }
  if (spec.kind == Pattern::kClusters && width > 0) {
    for (std::int64_t run = 0; run < spec.parameter; ++run) {
      const auto first = static_cast<std::int64_t>(hash32(r, static_cast<std::uint32_t>(run), 23)) % width;
      for (std::int64_t column = first; column < std::min(first + 64, width); ++column) {
        store_bits(type, out, column, bits_of_type(type, 10.0 + unit(r, static_cast<std::uint32_t>(column))));
      }
    }
  }
}

std::uint32_t bits_of_type(ScoreType type, std::uint32_t bits) {
  switch (type) {
    case ScoreType::kBFloat16:
      return bfloat16_from_float(bits);
    case ScoreType::kFloat16:
      return float16_from_float(bits);
    case ScoreType::kFloat32:
      break;
  }
  return bits;
}

std::uint32_t bits_of_type(ScoreType type, double value) { return bits_of_type(type, float_bits(value)); }

std::uint32_t load_bits(ScoreType type, const void* scores, std::int64_t element) {
  if (type == ScoreType::kFloat32) {
    std::uint32_t bits;
    std::memcpy(&bits, static_cast<const char*>(scores) + element * 4, 4);
    return bits;
  }
  std::uint16_t bits;
  std::memcpy(&bits, static_cast<const char*>(scores) + element * 2, 2);
  return bits;
}

void store_bits(ScoreType type, void* scores, std::int64_t element, std::uint32_t bits) {
  if (type == ScoreType::kFloat32) {
    std::memcpy(static_cast<char*>(scores) + element * 4, &bits, 4);
    return;
  }
  const auto narrow = static_cast<std::uint16_t>(bits);
  std::memcpy(static_cast<char*>(scores) + element * 2, &narrow, 2);
}

std::string score_text(ScoreType type, std::uint32_t bits) {
  std::uint32_t wide = bits;
  if (type == ScoreType::kBFloat16) wide = float_from_bfloat16(static_cast<std::uint16_t>(bits));
  if (type == ScoreType::kFloat16) wide = float_from_float16(static_cast<std::uint16_t>(bits));
  char text[64];
  std::snprintf(text, sizeof text, "%.9g (0x%0*X)", static_cast<double>(std::bit_cast<float>(wide)),
                type == ScoreType::kFloat32 ? 8 : 4, bits);
  return text;
}

}  // namespace keysieve::cases

// The test data is what its description says.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <vector>

#include "cases/case_table.hpp"
#include "cases/float_formats.hpp"
#include "cases/patterns.hpp"

namespace keysieve::test {
namespace {

using namespace cases;  // NOLINT: the file is about that namespace

std::vector<std::uint32_t> row_of(PatternSpec spec, ScoreType type, std::int64_t row, std::int64_t width) {
  std::vector<std::uint32_t> bits(static_cast<std::size_t>(width));
  std::vector<std::byte> raw(static_cast<std::size_t>(width) * 4);
  fill_row(spec, type, row, width, raw.data());
  for (std::int64_t c = 0; c < width; ++c) bits[static_cast<std::size_t>(c)] = load_bits(type, raw.data(), c);
  return bits;
}

float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }

TEST(Patterns, HashHasTheCheckValues) {
  EXPECT_EQ(hash32(0, 0), 0x00000000u);
  EXPECT_EQ(hash32(0, 1), 0x6D523710u);
  EXPECT_EQ(hash32(1, 0), 0xC4A0E45Cu);
  EXPECT_EQ(hash32(3, 4096), 0x7FF76AC0u);
}

TEST(Patterns, GaussHasTheCheckValues) {
  const auto row0 = row_of({Pattern::kGauss}, ScoreType::kFloat32, 0, 2);
  const auto row1 = row_of({Pattern::kGauss}, ScoreType::kFloat32, 1, 1);
  EXPECT_EQ(row0[0], 0x3F327D2Eu);
  EXPECT_EQ(row0[1], 0x3FBD0C2Eu);
  EXPECT_EQ(row1[0], 0xBF3FC3B3u);
}

TEST(Patterns, ReluRowHasTheStatedPlateau) {
  int positive = 0, zero = 0;
  for (const std::uint32_t bits : row_of({Pattern::kRelu}, ScoreType::kFloat32, 0, 8320)) {
    positive += as_float(bits) > 0 ? 1 : 0;
    zero += bits == 0 ? 1 : 0;
  }
  EXPECT_EQ(positive, 842);
  EXPECT_EQ(zero, 7478);
}

TEST(Patterns, UlpRowsAreDistinctAndShareOneHalf) {
  for (const Pattern kind : {Pattern::kUlpAscending, Pattern::kUlpDescending, Pattern::kUlpShuffled}) {
    for (const std::int64_t width : {4097, 65536, 65537, 70000}) {
      const auto bits = row_of({kind}, ScoreType::kFloat32, 0, width);
      EXPECT_EQ(std::set<std::uint32_t>(bits.begin(), bits.end()).size(), bits.size()) << name_of(kind) << width;
    }
  }
  const auto ascending = row_of({Pattern::kUlpAscending}, ScoreType::kFloat32, 0, 3);
  EXPECT_EQ(ascending, (std::vector<std::uint32_t>{0x3F800000u, 0x3F800001u, 0x3F800002u}));
  const auto shuffled = row_of({Pattern::kUlpShuffled}, ScoreType::kFloat32, 0, 3);
  EXPECT_EQ(shuffled, (std::vector<std::uint32_t>{0x3F800000u, 0x3F800000u + 40503u, 0x3F800000u + 81006u - 65536u}));
}

TEST(Patterns, HalfShuffledIsDistinctAndPositiveInBothTypes) {
  for (const ScoreType type : {ScoreType::kBFloat16, ScoreType::kFloat16}) {
    const auto bits = row_of({Pattern::kHalfShuffled}, type, 0, 4096);
    EXPECT_EQ(std::set<std::uint32_t>(bits.begin(), bits.end()).size(), 4096u);
    for (const std::uint32_t b : bits) ASSERT_TRUE(b >= 0x3000u && b < 0x4000u);
  }
}

TEST(Patterns, PlateauPlacesItsWinners) {
  const auto bits = row_of({Pattern::kPlateau, 3}, ScoreType::kFloat32, 0, 8320);
  EXPECT_EQ(as_float(bits[0]), 1000.0f);
  EXPECT_EQ(as_float(bits[7919]), 1001.0f);
  EXPECT_EQ(as_float(bits[2 * 7919 - 8320]), 1002.0f);
  EXPECT_EQ(std::count(bits.begin(), bits.end(), 0u), 8317);
}

TEST(Patterns, ClustersAreRunsOfWinners) {
  const auto bits = row_of({Pattern::kClusters, 1}, ScoreType::kFloat32, 3, 8192);
  const auto is_winner = [](std::uint32_t b) { return as_float(b) >= 10.0f; };
  const auto first = std::find_if(bits.begin(), bits.end(), is_winner);
  EXPECT_EQ(std::count_if(bits.begin(), bits.end(), is_winner), std::min<std::ptrdiff_t>(64, bits.end() - first));
}

TEST(Patterns, NanRowsHoldEverySignAndOnlyNan) {
  for (const ScoreType type : {ScoreType::kFloat32, ScoreType::kBFloat16, ScoreType::kFloat16}) {
    const std::uint32_t sign = type == ScoreType::kFloat32 ? 0x80000000u : 0x8000u;
    const std::uint32_t infinity = bits_of_type(type, std::numeric_limits<double>::infinity());
    std::set<std::uint32_t> payloads;
    int negative = 0;
    for (const std::uint32_t bits : row_of({Pattern::kAllNan}, type, 0, 1000)) {
      ASSERT_GT(bits & ~sign, infinity);
      negative += (bits & sign) != 0 ? 1 : 0;
      payloads.insert(bits);
    }
    EXPECT_GT(negative, 300);
    EXPECT_LT(negative, 700);
    EXPECT_GT(payloads.size(), 100u);
  }
}

TEST(Patterns, SubnormalRowsAreSubnormal) {
  for (const std::uint32_t bits : row_of({Pattern::kSubnormal}, ScoreType::kFloat16, 0, 500)) {
    ASSERT_EQ(bits & 0x7C00u, 0u);
  }
  for (const std::uint32_t bits : row_of({Pattern::kSubnormal}, ScoreType::kFloat32, 0, 500)) {
    ASSERT_EQ(bits & 0x7F800000u, 0u);
  }
}

TEST(Patterns, OnePeakHasOnePeak) {
  const auto bits = row_of({Pattern::kOnePeak}, ScoreType::kFloat32, 5, 777);
  EXPECT_EQ(std::count(bits.begin(), bits.end(), std::bit_cast<std::uint32_t>(1.0f)), 1);
}

TEST(FloatFormats, EveryHalfSurvivesTheRoundTrip) {
  for (std::uint32_t half = 0; half < 0x10000u; ++half) {
    const auto bits = static_cast<std::uint16_t>(half);
    const bool nan = (half & 0x7FFFu) > 0x7C00u;
    const std::uint16_t expected = nan ? static_cast<std::uint16_t>(half | 0x200u) : bits;
    ASSERT_EQ(float16_from_float(float_from_float16(bits)), expected) << half;
    const bool nan_b = (half & 0x7FFFu) > 0x7F80u;
    const std::uint16_t expected_b = nan_b ? static_cast<std::uint16_t>(half | 0x40u) : bits;
    ASSERT_EQ(bfloat16_from_float(float_from_bfloat16(bits)), expected_b) << half;
  }
}

TEST(FloatFormats, HalfDecodesToItsValue) {
  for (std::uint32_t half = 0; half < 0x7C00u; ++half) {
    const int exponent = static_cast<int>(half >> 10), mantissa = static_cast<int>(half & 0x3FFu);
    const double value = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    ASSERT_EQ(static_cast<double>(as_float(float_from_float16(static_cast<std::uint16_t>(half)))), value) << half;
  }
}

// Between two neighbouring 16-bit values: below the midpoint to the lower, above it to the upper, on it to the even.
TEST(FloatFormats, RoundToNearestEven) {
  for (std::uint32_t low = 0; low < 0x7BFFu; ++low) {
    const double a = static_cast<double>(as_float(float_from_float16(static_cast<std::uint16_t>(low))));
    const double b = static_cast<double>(as_float(float_from_float16(static_cast<std::uint16_t>(low + 1))));
    const auto middle = static_cast<float>((a + b) / 2);  // exact: one more bit than a half has
    const auto convert = [](float value) { return float16_from_float(std::bit_cast<std::uint32_t>(value)); };
    ASSERT_EQ(convert(middle), (low & 1u) != 0 ? low + 1 : low) << low;
    ASSERT_EQ(convert(std::nextafterf(middle, 0.0f)), low) << low;
    ASSERT_EQ(convert(std::nextafterf(middle, 1e30f)), low + 1) << low;
    ASSERT_EQ(convert(-middle), 0x8000u | ((low & 1u) != 0 ? low + 1 : low)) << low;
  }
  EXPECT_EQ(float16_from_float(std::bit_cast<std::uint32_t>(65520.0f)), 0x7C00);
  EXPECT_EQ(float16_from_float(std::bit_cast<std::uint32_t>(65519.99f)), 0x7BFF);
  EXPECT_EQ(bfloat16_from_float(0x3F808000u), 0x3F80);
  EXPECT_EQ(bfloat16_from_float(0x3F818000u), 0x3F82);
  EXPECT_EQ(bfloat16_from_float(0x3F808001u), 0x3F81);
  EXPECT_EQ(bfloat16_from_float(0x7F7FFFFFu), 0x7F80);
}

TEST(CaseTable, NamesAreUniqueAndTheSizeIsAsStated) {
  std::set<std::string> names;
  std::int64_t scores = 0;
  for (const SelectCase& spec : case_table()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name << " twice";
    scores += spec.rows * spec.width;
  }
  EXPECT_GT(names.size(), 900u);
  EXPECT_LT(scores, 20'000'000);
}

TEST(CaseTable, RandomCasesRepeatAndDiffer) {
  EXPECT_EQ(describe(random_case(17)), describe(random_case(17)));
  std::set<std::string> texts;
  for (std::uint64_t seed = 0; seed < 100; ++seed) texts.insert(describe(random_case(seed)));
  EXPECT_EQ(texts.size(), 100u);
}

}  // namespace
}  // namespace keysieve::test

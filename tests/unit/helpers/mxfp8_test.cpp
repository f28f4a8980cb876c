// MXFP8 against its definition on real numbers, over all of its inputs where they can be counted.
#include <gtest/gtest.h>

#include <cmath>

#include "core/mxfp8.hpp"
#include "core/number_formats.hpp"
#include "keysieve/kernels.h"
#include "reference/mxfp8_reference.hpp"
#include "reference/number_reference.hpp"

namespace keysieve {
namespace {

TEST(Mxfp8, EveryValueOfBfloat16AsE4m3) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto value = static_cast<std::uint16_t>(bits);
    ASSERT_EQ(e4m3_from_float(float_from_bfloat16(value)), reference::nearest_e4m3(reference::value_of_bfloat16(value)))
        << bits;
  }
}

TEST(Mxfp8, E4m3AroundEveryCodeAndMidpoint) {
  for (int code = 0; code < 0x7E; ++code) {
    const double low = reference::value_of_e4m3(static_cast<std::uint8_t>(code));
    const double high = reference::value_of_e4m3(static_cast<std::uint8_t>(code + 1));
    for (const double at : {low, (low + high) / 2, high}) {
      const std::uint32_t bits = bits_of(static_cast<float>(at));
      for (std::uint32_t near = bits < 3 ? 0 : bits - 3; near <= bits + 3; ++near) {
        for (const std::uint32_t sign : {0u, 0x80000000u}) {
          const float value = float_of(near | sign);
          ASSERT_EQ(e4m3_from_float(value), reference::nearest_e4m3(static_cast<double>(value))) << near;
        }
      }
    }
  }
  EXPECT_EQ(e4m3_from_float(464.0f), 0x7E);
  EXPECT_EQ(e4m3_from_float(-3e38f), 0xFE);
  EXPECT_EQ(e4m3_from_float(float_of(0x7F800000u)), 0x7E);
  EXPECT_EQ(e4m3_from_float(float_of(0xFFC00000u)), 0x7F);
  EXPECT_EQ(e4m3_from_float(-0.0f), 0x80);
}

TEST(Mxfp8, ScaleOfEveryMagnitude) {
  std::uint32_t most = 0;
  for (std::uint32_t bits = 0; bits < 0x8000; ++bits) {
    std::uint16_t group[32] = {static_cast<std::uint16_t>(bits)};
    std::uint8_t codes[32], scales[512];
    reference::quantize_mxfp8(group, 1, 32, 32, codes, 32, scales);
    const std::uint32_t byte = mxfp8_scale_byte(bits);
    ASSERT_EQ(byte, scales[0]) << bits;
    if (bits < 0x7F80) most = std::max(most, byte);
    // The largest value must not saturate, and must use the upper half of the codes' range.
    if (byte > 1 && byte < 254) {
      const float scaled = float_from_bfloat16(static_cast<std::uint16_t>(bits)) * mxfp8_multiplier(byte);
      ASSERT_LE(scaled, 448.0f) << bits;
      ASSERT_GT(scaled, 224.0f) << bits;
    }
  }
  EXPECT_EQ(most, 247u);
  EXPECT_EQ(mxfp8_multiplier(0), 0.0f);
  EXPECT_EQ(mxfp8_multiplier(127), 1.0f);
  EXPECT_EQ(mxfp8_multiplier(1), 0x1p126f);
}

TEST(Mxfp8, ScaleBytes) {
  std::int64_t bytes = -1;
  EXPECT_EQ(keysieve_mxfp8_scale_bytes(0, 32, &bytes), KEYSIEVE_OK);
  EXPECT_EQ(bytes, 0);
  EXPECT_EQ(keysieve_mxfp8_scale_bytes(1, 32, &bytes), KEYSIEVE_OK);
  EXPECT_EQ(bytes, 512);
  EXPECT_EQ(keysieve_mxfp8_scale_bytes(129, 160, &bytes), KEYSIEVE_OK);
  EXPECT_EQ(bytes, 2 * 2 * 512);
  EXPECT_EQ(keysieve_mxfp8_scale_bytes(8, 5120, &bytes), KEYSIEVE_OK);
  EXPECT_EQ(bytes, 40 * 512);
  EXPECT_EQ(keysieve_mxfp8_scale_bytes(INT32_MAX, INT32_MAX - 31, &bytes), KEYSIEVE_OK);
  EXPECT_EQ(bytes, (std::int64_t{1} << 24) * (std::int64_t{1} << 24) * 512);
  EXPECT_EQ(keysieve_mxfp8_scale_bytes(-1, 32, &bytes), KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_STREQ(keysieve_last_error(), "rows: expected 0..2147483647, got -1");
  EXPECT_EQ(keysieve_mxfp8_scale_bytes(1, 48, &bytes), KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_STREQ(keysieve_last_error(), "columns: expected a multiple of 32, got 48");
  EXPECT_EQ(keysieve_mxfp8_scale_bytes(1, 0, &bytes), KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_EQ(keysieve_mxfp8_scale_bytes(1, 32, nullptr), KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_STREQ(keysieve_last_error(), "bytes: expected a pointer, got null");
}

}  // namespace
}  // namespace keysieve

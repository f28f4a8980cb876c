// FP4 and FP8 quantisation: results worked out by hand, the arithmetic of the kernels against its definition, what is
// refused.
#include <gtest/gtest.h>

#include <cmath>

#include "cases/operation/operation_case.hpp"
#include "cases/random.hpp"
#include "core/number_formats.hpp"
#include "cuda/operation/fp8_quantise.hpp"
#include "helpers/key_quantise.hpp"
#include "reference/number_reference.hpp"

namespace keysieve {
namespace {

using cases::Random;
using cases::TensorStore;

constexpr Backend kBackends[] = {Backend::kReference, Backend::kCpu};

template <typename Args>
Args good_args(TensorStore& store, std::int64_t payload_bytes, std::int32_t scale) {
  Args args{};
  args.struct_size = sizeof(args);
  args.x = store.make(KEYSIEVE_ELEMENT_FLOAT32, {2, 128}, {}, 0, 0);
  args.payload = store.make(KEYSIEVE_ELEMENT_BYTE, {2, payload_bytes});
  args.scales = store.make(scale, {2});
  return args;
}
keysieve_fp4_quantise_args fp4_args(TensorStore& store) {
  return good_args<keysieve_fp4_quantise_args>(store, 64, KEYSIEVE_ELEMENT_INT32);
}
keysieve_fp8_quantise_args fp8_args(TensorStore& store) {
  return good_args<keysieve_fp8_quantise_args>(store, 128, KEYSIEVE_ELEMENT_FLOAT32);
}

template <typename Operation>
std::string faults_of(typename Operation::Args args) {
  Faults faults;
  check_operation<Operation>(args, faults);
  return faults.lines();
}

TEST(Fp4Quantise, ByHand) {
  TensorStore store;
  keysieve_fp4_quantise_args args = fp4_args(store);
  auto* x = static_cast<float*>(args.x.data);
  // Group 0, largest 6: scale 1. Ties in turn, then a negative one that rounds to zero.
  const float values[] = {6, 0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5, -0.25f, -0.75f, -6, 0.2f};
  std::copy(std::begin(values), std::end(values), x);
  x[32] = 12.5f;      // group 1: 12.5 / 6 is above 2, so the scale is 4: 3.125 -> 3
  x[64] = -1e-6f;     // group 2: the floor, 2^-13: 0.008 -> 0
  x[96] = INFINITY;   // group 3: byte 254
  x[97] = -INFINITY;  // the other sign
  x[98] = 1.0f;       // 2^-127
  x[99] = 1.5f * 0x1p127f;
  for (const Backend backend : kBackends) {
    args.call.backend = static_cast<std::int32_t>(backend);
    args.rounding = KEYSIEVE_ROUND_TIES_TO_EVEN;
    ASSERT_TRUE(run_operation<Fp4Quantise>(args, nullptr).ok());
    const auto* payload = static_cast<const std::uint8_t*>(args.payload.data);
    const auto* bytes = static_cast<const std::uint8_t*>(args.scales.data);
    const std::uint8_t even[] = {0x07, 0x22, 0x44, 0x66, 0xA0, 0x0F};
    for (int i = 0; i < 6; ++i) EXPECT_EQ(payload[i], even[i]) << i;
    EXPECT_EQ(payload[16], 0x05);
    EXPECT_EQ(payload[32], 0x00);
    EXPECT_EQ(payload[48], 0xF7);
    EXPECT_EQ(payload[49], 0x30);
    EXPECT_EQ(bytes[0], 127);
    EXPECT_EQ(bytes[1], 129);
    EXPECT_EQ(bytes[2], 114);
    EXPECT_EQ(bytes[3], 254);
    EXPECT_EQ(bytes[4], 114);  // row 1, all zero
    args.rounding = KEYSIEVE_ROUND_TIES_TO_ZERO;
    ASSERT_TRUE(run_operation<Fp4Quantise>(args, nullptr).ok());
    const std::uint8_t to_zero[] = {0x07, 0x21, 0x43, 0x65, 0x90, 0x0F};
    for (int i = 0; i < 6; ++i) EXPECT_EQ(payload[i], to_zero[i]) << i;
  }
}

TEST(Fp4Quantise, RefusesByName) {
  TensorStore store;
  const keysieve_fp4_quantise_args good = fp4_args(store);
  EXPECT_EQ(faults_of<Fp4Quantise>(good), "");
  auto args = good;
  args.rounding = 2;
  EXPECT_EQ(faults_of<Fp4Quantise>(args), "rounding: expected 0..1, got 2");
  args = good;
  args.x.element = KEYSIEVE_ELEMENT_FLOAT16;
  EXPECT_EQ(faults_of<Fp4Quantise>(args), "x: expected bfloat16 or float32, got float16");
  args = good;
  args.x.shape[1] = 64;
  EXPECT_EQ(faults_of<Fp4Quantise>(args), "x: expected [n, dims=128], got [2, 64]");
  args = good;
  args.payload.shape[0] = 3;
  EXPECT_EQ(faults_of<Fp4Quantise>(args), "payload: expected [n=2, bytes=64], got [3, 64]");
  args = good;
  args.payload.strides[0] = 66;
  EXPECT_EQ(faults_of<Fp4Quantise>(args), "payload: expected an address and strides that are multiples of 4 bytes");
  args = good;
  args.scales.element = KEYSIEVE_ELEMENT_FLOAT32;
  EXPECT_EQ(faults_of<Fp4Quantise>(args), "scales: expected int32, got float32");
  args = good;
  args.payload.data = args.x.data;
  EXPECT_NE(faults_of<Fp4Quantise>(args).find("payload: expected memory of its own, overlaps x"), std::string::npos);
}

TEST(Fp8Quantise, ByHand) {
  TensorStore store;
  keysieve_fp8_quantise_args args = fp8_args(store);
  auto* x = static_cast<float*>(args.x.data);
  x[0] = 896, x[1] = -2, x[2] = 1, x[3] = -0.0f;  // scale 2
  x[128] = -1e-7f;                                // the floor: 1e-4 / 448
  for (const Backend backend : kBackends) {
    args.call.backend = static_cast<std::int32_t>(backend);
    ASSERT_TRUE(run_operation<Fp8Quantise>(args, nullptr).ok());
    const auto* payload = static_cast<const std::uint8_t*>(args.payload.data);
    const auto* scales = static_cast<const float*>(args.scales.data);
    EXPECT_EQ(scales[0], 2.0f);
    EXPECT_EQ(payload[0], 0x7E);  // 448
    EXPECT_EQ(payload[1], 0xB8);  // -1
    EXPECT_EQ(payload[2], 0x30);  // 0.5
    EXPECT_EQ(payload[3], 0x80);
    EXPECT_EQ(scales[1], 1e-4f / 448);
    EXPECT_EQ(payload[128], 0x80 | 0x2E);  // 0.448 -> 0.4375
    x[0] = 900;
    args.scale_to_power_of_two = 1;
    ASSERT_TRUE(run_operation<Fp8Quantise>(args, nullptr).ok());
    EXPECT_EQ(scales[0], 4.0f);
    EXPECT_EQ(payload[1], 0xB0);
    EXPECT_EQ(scales[1], 0x1p-22f);
    x[5] = std::nanf("");
    ASSERT_TRUE(run_operation<Fp8Quantise>(args, nullptr).ok());
    EXPECT_EQ(scales[0], 0x1p127f);
    for (int i = 0; i < 128; ++i) EXPECT_EQ(payload[i], 0x7F);
    x[0] = 896, x[5] = 0, args.scale_to_power_of_two = 0;
  }
}

TEST(Fp8Quantise, RefusesByName) {
  TensorStore store;
  const keysieve_fp8_quantise_args good = fp8_args(store);
  EXPECT_EQ(faults_of<Fp8Quantise>(good), "");
  auto args = good;
  args.scale_to_power_of_two = -1;
  EXPECT_EQ(faults_of<Fp8Quantise>(args), "scale_to_power_of_two: expected 0..1, got -1");
  args = good;
  args.payload.shape[1] = 64;
  EXPECT_EQ(faults_of<Fp8Quantise>(args), "payload: expected [n=2, bytes=128], got [2, 64]");
  args = good;
  args.scales.element = KEYSIEVE_ELEMENT_INT32;
  EXPECT_EQ(faults_of<Fp8Quantise>(args), "scales: expected float32, got int32");
}

// The kernel's quotient is the quotient: at least as long as e4m3 can tell it from zero.
TEST(Fp8Quantise, QuotientIsRoundedOnce) {
  Random random(3);
  for (int i = 0; i < 2'000'000; ++i) {
    const float largest = float_of(static_cast<std::uint32_t>(random.between(0x38D1B717, 0x7F7FFFFF)));
    const float scale = largest / 448.0f;
    const std::uint32_t below = static_cast<std::uint32_t>(random.between(0, 25 << 23));
    const std::uint32_t bits =
        random.chance(5) ? bits_of(largest) : bits_of(largest) - std::min(bits_of(largest), below);
    const float value = float_of(bits | static_cast<std::uint32_t>(random.between(0, 1)) << 31);
    const float expected = value / scale;
    if (std::fabs(expected) < 0x1p-12f) continue;
    ASSERT_EQ(bits_of(quotient_by(value, scale, 1.0f / scale)), bits_of(expected)) << value << " / " << scale;
  }
  EXPECT_EQ(bits_of(quotient_by(-0.0f, 3.0f, 1.0f / 3.0f)), 0x80000000u);
  EXPECT_EQ(bits_of(quotient_by(0.0f, 3.0f, 1.0f / 3.0f)), 0u);
}

TEST(NumberFormats, E2m1AgainstDefinition) {
  for (const bool ties_to_zero : {false, true}) {
    for (std::uint32_t high = 0; high <= 0x8000; ++high) {
      for (const std::uint32_t low : {0u, 1u, 0x8000u, 0xFFFFu}) {
        const float value = float_of(high << 16 | low);
        ASSERT_EQ(e2m1_from_float(value, ties_to_zero),
                  static_cast<std::uint32_t>(reference::nearest_e2m1(static_cast<double>(value), ties_to_zero)))
            << value;
      }
    }
  }
  for (int code = 0; code < 8; ++code) {
    EXPECT_EQ(static_cast<double>(float_from_e2m1(static_cast<std::uint32_t>(code))), reference::value_of_e2m1(code));
  }
}

TEST(NumberFormats, E4m3AgainstDefinition) {
  for (std::uint32_t high = 0; high < 0x10000; ++high) {
    for (const std::uint32_t low : {0u, 1u, 0x8000u, 0xFFFFu}) {
      const float value = float_of(high << 16 | low);
      ASSERT_EQ(e4m3_from_float(value), reference::nearest_e4m3(static_cast<double>(value))) << value;
    }
  }
}

// For BF16 a product with 1/6 gives the same byte of the pack scale as the quotient, for every finite one.
TEST(NumberFormats, SixthOfBfloat16) {
  for (std::uint32_t high = 1; high < 0x7F80; ++high) {
    const float value = float_of(high << 16);
    ASSERT_EQ(pack_byte(simt::multiply(value, kOneSixth)), pack_byte(value / 6.0f)) << value;
  }
}

}  // namespace
}  // namespace keysieve

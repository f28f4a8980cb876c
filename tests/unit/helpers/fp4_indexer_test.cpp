// Keys and queries of an FP4 indexer: the two scales, the rotation and the norm by hand; what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cases/operation/operation_case.hpp"
#include "core/number_formats.hpp"
#include "helpers/fp4_indexer.hpp"

namespace keysieve {
namespace {

using cases::TensorStore;

constexpr Backend kBackends[] = {Backend::kReference, Backend::kCpu};

void set(const keysieve_tensor& tensor, std::int64_t at, float value) {
  static_cast<std::uint16_t*>(tensor.data)[at] = bfloat16_from_float(value);
}

// One token, one head, no rotation.
keysieve_fp4_indexer_query_args query_args(TensorStore& store) {
  keysieve_fp4_indexer_query_args args{};
  args.struct_size = sizeof(args);
  args.payload = store.make(KEYSIEVE_ELEMENT_BYTE, {1, 1, 64});
  args.scales = store.make(KEYSIEVE_ELEMENT_INT32, {1, 1});
  args.x = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {1, 1, 128}, {}, 0, 0);
  args.freqs = store.make(KEYSIEVE_ELEMENT_FLOAT32, {2, 64}, {}, 0, 0);
  args.positions = store.make(KEYSIEVE_ELEMENT_INT64, {1}, {}, 0, 0);
  for (int i = 0; i < 128; i += 2) static_cast<float*>(args.freqs.data)[i] = 1.0f;
  return args;
}

keysieve_fp4_indexer_key_args key_args(TensorStore& store) {
  keysieve_fp4_indexer_key_args args{};
  args.struct_size = sizeof(args);
  args.eps = 1e-6f;
  args.ratio = 4;
  args.cache = store.make(KEYSIEVE_ELEMENT_BYTE, {2, 8, 68}, {}, 0, 0);
  args.x = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {1, 128}, {}, 0, 0);
  args.weight = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {128}, {}, 0, 0);
  args.freqs = store.make(KEYSIEVE_ELEMENT_FLOAT32, {8, 64}, {}, 0, 0);
  args.positions = store.make(KEYSIEVE_ELEMENT_INT32, {1}, {}, 0, 0);
  args.slots = store.make(KEYSIEVE_ELEMENT_INT64, {1}, {}, 0, 0);
  return args;
}

template <typename Operation>
std::string faults_of(typename Operation::Args args) {
  Faults faults;
  check_operation<Operation>(args, faults);
  return faults.lines();
}

// The scale of the first stage is that of the largest value, the second's that of what it became.
TEST(Fp4Indexer, TwoScales) {
  TensorStore store;
  keysieve_fp4_indexer_query_args args = query_args(store);
  // Group 0: 3.25 / 6 rounds up to scale 1; it becomes 3, whose scale is 1/2: codes of doubled values. One stage alone
  // would leave byte 127 and code 5.
  const float first[] = {3.25f, 2, 1.5f, 1, 0.5f, 0.2f, -3, -0.2f};
  for (int i = 0; i < 8; ++i) set(args.x, i, first[i]);
  // Group 1: 3.5 is a tie that goes up to 4, and the scale stays.
  set(args.x, 32, 3.5f), set(args.x, 33, 1.0f);
  // Group 2, tiny: 6 * 2^-16 is on its own scale 2^-16; the floor of 2^-13 makes 0.75 of it, a tie to 1. 4 * 2^-16 is
  // 0.5, and 3 * 2^-16 is 0.375: 0.5.
  set(args.x, 64, 6 * 0x1p-16f), set(args.x, 65, 4 * 0x1p-16f), set(args.x, 66, -3 * 0x1p-16f);
  // 1.8 * 2^-16 becomes 2 of the first scale, 0.25 of the second: a tie to zero. In one stage 0.225: zero too;
  // 2.4 * 2^-16 becomes 2 and so 0, where one stage would make 0.3 and so 0.5.
  set(args.x, 67, 1.8f * 0x1p-16f), set(args.x, 68, 2.4f * 0x1p-16f);
  // Group 3: past FP32 after the first stage, 4 * 2^126.
  set(args.x, 96, float_of(0x7F7F0000)), set(args.x, 97, -0x1p127f);
  for (const Backend backend : kBackends) {
    args.call.backend = static_cast<std::int32_t>(backend);
    ASSERT_TRUE(run_operation<Fp4IndexerQuery>(args, nullptr).ok());
    const auto* payload = static_cast<const std::uint8_t*>(args.payload.data);
    const auto* bytes = static_cast<const std::uint8_t*>(args.scales.data);
    EXPECT_EQ(bytes[0], 126);
    EXPECT_EQ(payload[0], 0x67);  // 6, 4 halves
    EXPECT_EQ(payload[1], 0x45);  // 3, 2
    EXPECT_EQ(payload[2], 0x02);  // 1; 0.2 -> 0
    EXPECT_EQ(payload[3], 0x0F);  // -6; code 8 cleared
    EXPECT_EQ(bytes[1], 127);
    EXPECT_EQ(payload[16], 0x26);
    EXPECT_EQ(bytes[2], 114);
    EXPECT_EQ(payload[32], 0x12);
    EXPECT_EQ(payload[33], 0x09);
    EXPECT_EQ(payload[34], 0x00);
    EXPECT_EQ(bytes[3], 254);
    EXPECT_EQ(payload[48], 0xA7);
  }
}

TEST(Fp4Indexer, RotationAndWeights) {
  TensorStore store;
  keysieve_fp4_indexer_query_args args = query_args(store);
  args.weights = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {1, 1});
  args.weights_out = store.make(KEYSIEVE_ELEMENT_FLOAT32, {1, 1});
  set(args.weights, 0, 3.0f);
  args.weight_scale = 0.1f;
  static_cast<std::int64_t*>(args.positions.data)[0] = 1;
  auto* freqs = static_cast<float*>(args.freqs.data) + 64;
  freqs[0] = 0, freqs[1] = 1;          // a quarter turn of dims 64, 65
  freqs[62] = 0.5f, freqs[63] = 0.5f;  // dims 126, 127
  set(args.x, 0, 6), set(args.x, 1, 3);
  set(args.x, 64, 6), set(args.x, 65, 3);
  set(args.x, 126, 4), set(args.x, 127, 2);
  for (const Backend backend : kBackends) {
    args.call.backend = static_cast<std::int32_t>(backend);
    ASSERT_TRUE(run_operation<Fp4IndexerQuery>(args, nullptr).ok());
    const auto* payload = static_cast<const std::uint8_t*>(args.payload.data);
    const auto* bytes = static_cast<const std::uint8_t*>(args.scales.data);
    EXPECT_EQ(payload[0], 0x57);   // not rotated
    EXPECT_EQ(payload[32], 0x7D);  // (6, 3) -> (-3, 6)
    EXPECT_EQ(payload[63], 0x74);  // (4, 2) -> (1, 3), on the scale 1/2 of the second stage
    EXPECT_EQ(bytes[2], 127);
    EXPECT_EQ(bytes[3], 126);
    EXPECT_EQ(static_cast<const float*>(args.weights_out.data)[0], float_from_bfloat16(bfloat16_from_float(3 * 0.1f)));
  }
}

TEST(Fp4Indexer, KeyByHand) {
  TensorStore store;
  keysieve_fp4_indexer_key_args args = key_args(store);
  // All 2: the norm makes 1 (eps is lost in it), the weights 6 in the lower half and 3 in the upper.
  for (int i = 0; i < 128; ++i) set(args.x, i, 2), set(args.weight, i, i < 64 ? 6.0f : 3.0f);
  args.eps = 0;
  auto* freqs = static_cast<float*>(args.freqs.data);
  for (int i = 0; i < 64; i += 2) freqs[4 * 64 + i + 1] = 1;  // position 4: a quarter turn
  auto* slots = static_cast<std::int64_t*>(args.slots.data);
  auto* positions = static_cast<std::int32_t*>(args.positions.data);
  auto* cache = static_cast<std::uint8_t*>(args.cache.data);
  std::uint32_t error_word = 0;
  args.call.error_word = &error_word;
  for (const Backend backend : kBackends) {
    args.call.backend = static_cast<std::int32_t>(backend);
    std::fill_n(cache, 2 * 8 * 68, std::uint8_t{0});
    slots[0] = 9, positions[0] = 7;
    ASSERT_TRUE(run_operation<Fp4IndexerKey>(args, nullptr).ok());
    const std::uint8_t* payload = cache + 8 * 68 + 64;
    const std::uint8_t* bytes = cache + 8 * 68 + 8 * 64 + 4;
    EXPECT_EQ(payload[0], 0x77);
    EXPECT_EQ(payload[63], 0x7F);  // (3, 3) -> (-3, 3), scale 1/2
    EXPECT_EQ(bytes[0], 127);
    EXPECT_EQ(bytes[3], 126);
    EXPECT_EQ(error_word, 0u);
    std::fill_n(cache, 2 * 8 * 68, std::uint8_t{0});
    const auto expect_nothing = [&](std::int64_t slot, std::int32_t position, std::uint32_t bits) {
      slots[0] = slot, positions[0] = position, error_word = 0;
      ASSERT_TRUE(run_operation<Fp4IndexerKey>(args, nullptr).ok());
      EXPECT_EQ(error_word, bits) << slot << ", " << position;
      for (int i = 0; i < 2 * 8 * 68; ++i) ASSERT_EQ(cache[i], 0);
    };
    expect_nothing(0, 7, 0);
    expect_nothing(-1, 100, 0);
    expect_nothing(16, 7, KEYSIEVE_ERROR_BAD_ID);
    expect_nothing(16, -1, KEYSIEVE_ERROR_BAD_ID);
    expect_nothing(15, 8, KEYSIEVE_ERROR_BAD_POSITION);
    expect_nothing(15, -1, KEYSIEVE_ERROR_BAD_POSITION);
    error_word = 0;
  }
}

TEST(Fp4Indexer, KeyRefusesByName) {
  TensorStore store;
  const keysieve_fp4_indexer_key_args good = key_args(store);
  EXPECT_EQ(faults_of<Fp4IndexerKey>(good), "");
  auto args = good;
  args.ratio = 3;
  EXPECT_EQ(faults_of<Fp4IndexerKey>(args), "ratio: expected a power of two, got 3");
  args = good;
  args.eps = -1;
  EXPECT_EQ(faults_of<Fp4IndexerKey>(args), "eps: expected a finite number from 0 up, got -1.000000");
  args.eps = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(faults_of<Fp4IndexerKey>(args), "");
  args = good;
  args.freqs.shape[1] = 32;
  EXPECT_EQ(faults_of<Fp4IndexerKey>(args), "freqs: expected [max_positions, rotary=64], got [8, 32]");
  args = good;
  args.slots.shape[0] = 2;
  EXPECT_EQ(faults_of<Fp4IndexerKey>(args), "slots: expected [n=1], got [2]");
  args = good;
  args.positions.element = KEYSIEVE_ELEMENT_FLOAT32;
  EXPECT_EQ(faults_of<Fp4IndexerKey>(args), "positions: expected int32 or int64, got float32");
  args = good;
  args.weight.shape[0] = 64;
  EXPECT_EQ(faults_of<Fp4IndexerKey>(args), "weight: expected [dims=128], got [64]");
  args = good;
  args.cache.shape[2] = 132;
  EXPECT_EQ(faults_of<Fp4IndexerKey>(args), "cache: expected [pages, P, bytes=68], got [2, 8, 132]");
}

TEST(Fp4Indexer, QueryRefusesByName) {
  TensorStore store;
  const keysieve_fp4_indexer_query_args good = query_args(store);
  EXPECT_EQ(faults_of<Fp4IndexerQuery>(good), "");
  auto args = good;
  args.x.shape[2] = 64;
  EXPECT_EQ(faults_of<Fp4IndexerQuery>(args), "x: expected [tokens, heads, dims=128], got [1, 1, 64]");
  args = good;
  args.payload.shape[1] = 2;
  EXPECT_EQ(faults_of<Fp4IndexerQuery>(args), "payload: expected [tokens=1, heads=1, bytes=64], got [1, 2, 64]");
  args = good;
  args.weights = args.x;
  EXPECT_EQ(faults_of<Fp4IndexerQuery>(args), "weights_out: expected it where weights are given and only there");
}

// The kernel divides by the number of parts of a token with a multiplication.
TEST(Fp4Indexer, TokenOfPart) {
  TensorStore store;
  keysieve_fp4_indexer_query_args args = query_args(store);
  for (const std::int64_t heads : {1, 2, 3, 5, 7, 31, 32, 33, 48, 64, 127, 641, 65535, 65537, 0x40000001, 0x7FFFFFFF}) {
    args.x.shape[1] = heads;
    const Fp4IndexerQueryParams params = Fp4IndexerQuery::params(args);
    const std::int64_t parts = params.parts_of_token, last = 0x7FFFFFFE;
    ASSERT_EQ(parts, (heads + kQueryHeads - 1) / kQueryHeads);
    for (const std::int64_t part :
         {std::int64_t{0}, parts - 1, parts, 2 * parts - 1, last / parts * parts - 1, last / parts * parts, last}) {
      if (part < 0 || part > last) continue;
      ASSERT_EQ(static_cast<std::uint64_t>(part) * params.token_factor >> params.token_shift,
                static_cast<std::uint64_t>(part / parts))
          << part << " / " << parts;
    }
  }
}

}  // namespace
}  // namespace keysieve

// Engram gather: what is refused, by name; a result worked out by hand.
#include <gtest/gtest.h>

#include "cases/operation/operation_case.hpp"
#include "helpers/engram_gather.hpp"

namespace keysieve {
namespace {

using cases::OperationCase;
using cases::TensorStore;

keysieve_engram_gather_args good_args(TensorStore& store) {
  keysieve_engram_gather_args args{};
  args.struct_size = sizeof(args);
  args.out = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {4, 32});
  args.table = store.make(KEYSIEVE_ELEMENT_BYTE, {3, 32}, {}, 0, 0x38);  // e4m3 1.0
  args.scales = store.make(KEYSIEVE_ELEMENT_BYTE, {3, 2}, {}, 0, 127);
  args.ids = store.make(KEYSIEVE_ELEMENT_INT32, {4}, {}, 0, 0);
  return args;
}

std::string faults_of(keysieve_engram_gather_args args) {
  Faults faults;
  check_operation<EngramGather>(args, faults);
  return faults.lines();
}

TEST(EngramGather, ByHand) {
  TensorStore store;
  keysieve_engram_gather_args args = good_args(store);
  auto* ids = static_cast<std::int32_t*>(args.ids.data);
  ids[0] = 10, ids[1] = 12, ids[2] = 13, ids[3] = 9;  // the first and the last row, one past either end
  args.first_row = 10;
  static_cast<std::uint8_t*>(args.scales.data)[5] = 129;  // row 2, columns 16..31: 4
  static_cast<std::uint8_t*>(args.scales.data)[0] = 0;    // row 0, columns 0..15: 2^-127
  ASSERT_TRUE(run_operation<EngramGather>(args, nullptr).ok());
  const auto* out = static_cast<const std::uint16_t*>(args.out.data);
  EXPECT_EQ(out[0], 0x0040);        // 2^-127, subnormal
  EXPECT_EQ(out[16], 0x3F80);       // 1
  EXPECT_EQ(out[32 + 16], 0x4080);  // 4
  for (int i = 64; i < 128; ++i) EXPECT_EQ(out[i], 0) << i;
}

TEST(EngramGather, RefusesByName) {
  TensorStore store;
  const keysieve_engram_gather_args good = good_args(store);
  EXPECT_EQ(faults_of(good), "");
  auto args = good;
  args.out.element = KEYSIEVE_ELEMENT_FLOAT16;
  EXPECT_EQ(faults_of(args), "out: expected bfloat16, got float16");
  args = good;
  args.table.rank = 0;
  EXPECT_EQ(faults_of(args), "table: expected a tensor, got none");
  args = good;
  args.table.data = nullptr;
  EXPECT_EQ(faults_of(args), "table: expected a pointer, got null");
  args = good;
  args.out.shape[0] = 3;
  EXPECT_EQ(faults_of(args), "out: expected [n=4, dim=32], got [3, 32]");
  args = good;
  args.ids.element = KEYSIEVE_ELEMENT_FLOAT32;
  EXPECT_EQ(faults_of(args), "ids: expected int32 or int64, got float32");
  args = good;
  args.table.shape[1] = 24;
  args.out.shape[1] = 24;
  EXPECT_EQ(faults_of(args), "table: expected a power of two up to 8192 as dim, got 24");
  args = good;
  args.scales.shape[1] = 3;
  EXPECT_EQ(faults_of(args), "scales: expected a power of two up to dim=32 as blocks, got 3");
  args = good;
  args.first_row = INT64_MAX;
  EXPECT_EQ(faults_of(args), "first_row: expected first_row + rows <= 2^63 - 1, got 9223372036854775807");
  args = good;
  args.out.data = args.table.data;
  EXPECT_NE(faults_of(args).find("out: expected memory of its own, overlaps table"), std::string::npos);
  args = good;
  args.call.backend = KEYSIEVE_BACKEND_CUDA;
  EXPECT_NE(faults_of(args).find("backend: expected auto, reference or cpu"), std::string::npos);
  args = good;
  args.ids.strides[0] = 2;
  EXPECT_EQ(faults_of(args), "ids: expected a contiguous tensor, got strides [2]");
}

}  // namespace
}  // namespace keysieve

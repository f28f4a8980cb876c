// q RoPE store: by hand, both branches on the same calls, what is refused.
#include "helpers/q_rope_store.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "cases/operation/operation_case.hpp"
#include "cuda/operation_host.hpp"

namespace keysieve {
namespace {

using cases::OperationCase;
using cases::OperationRound;
using cases::TensorStore;

keysieve_q_rope_store_args good_args(TensorStore& store) {
  keysieve_q_rope_store_args args{};
  args.struct_size = sizeof(args);
  args.q = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {3, 2, 512}, {}, 0, 0);
  args.out = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {3, 2, 512}, {1040, 512, 1});
  args.freqs = store.make(KEYSIEVE_ELEMENT_FLOAT32, {4, 32, 2}, {}, 0, 0);
  args.positions = store.make(KEYSIEVE_ELEMENT_INT64, {3}, {}, 0, 0);
  return args;
}

std::string faults_of(keysieve_q_rope_store_args args) {
  Faults faults;
  check_operation<QRopeStore>(args, faults);
  return faults.lines();
}

TEST(QRopeStore, ByHand) {
  TensorStore store;
  keysieve_q_rope_store_args args = good_args(store);
  auto* q = static_cast<std::uint16_t*>(args.q.data);
  auto* freqs = static_cast<float*>(args.freqs.data);
  auto* positions = static_cast<std::int64_t*>(args.positions.data);
  positions[0] = 3, positions[1] = 4, positions[2] = -1;
  freqs[3 * 64 + 2] = 0.5F, freqs[3 * 64 + 3] = 2.0F;  // position 3, pair 1
  q[447] = 0x7F81;                                     // a signalling NaN is copied as it is
  q[450] = 0x4040, q[451] = 0x3F80;                    // 3 and 1
  q[512 + 450] = 0x7F80;                               // head 1: infinity times 0.5, and times 2
  std::uint32_t errors = 8;
  args.call.error_word = &errors;
  ASSERT_TRUE(run_operation<QRopeStore>(args, nullptr).ok());
  const auto* out = static_cast<const std::uint16_t*>(args.out.data);
  EXPECT_EQ(out[447], 0x7F81);
  EXPECT_EQ(out[450], 0xBF00);  // 3 * 0.5 - 1 * 2 = -0.5
  EXPECT_EQ(out[451], 0x40D0);  // 3 * 2 + 1 * 0.5 = 6.5
  EXPECT_EQ(out[512 + 450], 0x7F80);
  EXPECT_EQ(out[512 + 451], 0x7F80);
  EXPECT_EQ(out[1024], 0xEEEE) << "gap";
  for (const std::int64_t row : {1040, 1040 + 512, 2080, 2080 + 512}) {
    EXPECT_EQ(out[row + 447], 0);
    for (std::int64_t dim = 448; dim < 512; ++dim) EXPECT_EQ(out[row + dim], 0x7FFF) << row << ", " << dim;
  }
  EXPECT_EQ(errors, 8u | KEYSIEVE_ERROR_BAD_POSITION);
}

// a * c is exact inside the fused operation, b * s is rounded before it: where both are the same number, their
// difference is what the rounding took, and not 0.
TEST(QRopeStore, OneProductIsRoundedTheOtherFused) {
  TensorStore store;
  keysieve_q_rope_store_args args = good_args(store);
  auto* q = static_cast<std::uint16_t*>(args.q.data);
  auto* freqs = static_cast<float*>(args.freqs.data);
  q[448] = q[449] = 0x3F81;  // 1 + 2^-7
  const float c = 1.0F + 0x1p-23F;
  freqs[0] = freqs[1] = c;
  ASSERT_TRUE(run_operation<QRopeStore>(args, nullptr).ok());
  const auto* out = static_cast<const std::uint16_t*>(args.out.data);
  const double exact = (1 + 0x1p-7) * (1 + 0x1p-23);
  const double expected = exact - static_cast<float>(exact);
  ASSERT_NE(expected, 0);
  EXPECT_EQ(std::bit_cast<float>(std::uint32_t{out[448]} << 16), static_cast<float>(expected));
}

TEST(QRopeStore, BothBranchesLeaveTheSameBytes) {
  for (const OperationCase<QRopeStore>& each : cases::operation_cases<QRopeStore>()) {
    if (each.args.q.shape[0] * each.args.q.shape[1] == 0) continue;
    SCOPED_TRACE(each.name);
    OperationRound<QRopeStore> decode(each, 0x5A), prefill(each, 0x5A);
    for (const QRopeBranch branch : {QRopeBranch::kDecode, QRopeBranch::kPrefill}) {
      OperationRound<QRopeStore>& round = branch == QRopeBranch::kDecode ? decode : prefill;
      QRopeStoreParams params = QRopeStore::params(round.args());
      const bool many = params.tokens * params.heads >= QRopeStore::kPrefillHeads;
      EXPECT_EQ(params.branch, many ? QRopeBranch::kPrefill : QRopeBranch::kDecode);
      params.branch = branch;
      const KernelCalls calls = QRopeStore::calls(params);
      ASSERT_EQ(test::run_call_on_host(calls.calls[0], 1), "");
      ASSERT_EQ(round.damaged(), "");
    }
    EXPECT_EQ(prefill.difference(decode), "");
  }
}

TEST(QRopeStore, RefusesByName) {
  TensorStore store;
  const keysieve_q_rope_store_args good = good_args(store);
  EXPECT_EQ(faults_of(good), "");
  auto args = good;
  args.q.element = KEYSIEVE_ELEMENT_FLOAT32;
  EXPECT_EQ(faults_of(args), "q: expected bfloat16, got float32");
  args = good;
  args.q.shape[2] = args.out.shape[2] = 256;
  EXPECT_NE(faults_of(args).find("q: expected [tokens, heads, dims=512], got [3, 2, 256]"), std::string::npos);
  args = good;
  args.q.strides[1] = 1024;
  EXPECT_EQ(faults_of(args), "q: expected contiguous axes but the first, got strides [2048, 1024, 1]");
  args = good;
  args.out.shape[1] = 3;
  EXPECT_EQ(faults_of(args), "out: expected [tokens=3, heads=2, dims=512], got [3, 3, 512]");
  args = good;
  args.out.strides[0] = 512;
  EXPECT_EQ(faults_of(args), "out: expected tokens that do not overlap, so a stride of 1024 or more, got 512");
  args = good;
  args.freqs.shape[1] = 64;
  EXPECT_EQ(faults_of(args), "freqs: expected [max_position, pairs=32, parts=2], got [4, 64, 2]");
  args = good;
  args.freqs.data = nullptr;
  EXPECT_EQ(faults_of(args), "freqs: expected a pointer, got null");
  args = good;
  args.positions.shape[0] = 2;
  EXPECT_EQ(faults_of(args), "positions: expected [tokens=3], got [2]");
  args = good;
  args.positions.rank = 0;
  EXPECT_EQ(faults_of(args), "positions: expected a tensor, got none");
  args = good;  // the same memory, other strides
  args.out.data = args.q.data;
  EXPECT_EQ(faults_of(args), "out: expected memory of its own, overlaps q");
  args.out.strides[0] = 1024;
  EXPECT_EQ(faults_of(args), "");
  args.out.data = static_cast<std::uint16_t*>(args.q.data) + 8;
  EXPECT_EQ(faults_of(args), "out: expected memory of its own, overlaps q");
}

}  // namespace
}  // namespace keysieve

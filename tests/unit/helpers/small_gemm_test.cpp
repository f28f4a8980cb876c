// Small GEMM: the error bound against double, rows that do not depend on each other, every tiling, what is refused.
#include "helpers/small_gemm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cases/operation/operation_case.hpp"
#include "cuda/operation_host.hpp"
#include "plan/device_profile.hpp"
#include "reference/number_reference.hpp"

namespace keysieve {
namespace {

using cases::OperationCase;
using cases::OperationRound;
using cases::TensorStore;

keysieve_small_gemm_args good_args(TensorStore& store, std::int64_t m = 3) {
  keysieve_small_gemm_args args{};
  args.struct_size = sizeof(args);
  args.max_m = KEYSIEVE_AUTO;
  args.out = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {m, 128});
  args.x = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {m, 512}, {}, 0, 0);
  args.w = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {128, 512}, {}, 0, 0);
  return args;
}

std::string faults_of(keysieve_small_gemm_args args) {
  Faults faults;
  check_operation<SmallGemm>(args, faults);
  return faults.lines();
}

const std::uint16_t* elements(const keysieve_tensor& tensor, std::int64_t row) {
  return static_cast<const std::uint16_t*>(tensor.data) + row * tensor.strides[0];
}

std::vector<double> values(const keysieve_tensor& tensor) {
  std::vector<double> all;
  for (std::int64_t row = 0; row < tensor.shape[0]; ++row) {
    for (std::int64_t i = 0; i < tensor.shape[1]; ++i) {
      all.push_back(reference::value_of_bfloat16(elements(tensor, row)[i]));
    }
  }
  return all;
}

void expect_near(const keysieve_small_gemm_args& args) {
  const std::vector<double> x = values(args.x), w = values(args.w);
  const std::int64_t k = args.w.shape[1];
  for (std::int64_t row = 0; row < args.out.shape[0]; ++row) {
    for (std::int64_t column = 0; column < args.out.shape[1]; ++column) {
      double sum = 0, size = 0;
      for (std::int64_t i = 0; i < k; ++i) {
        const double product = x[row * k + i] * w[column * k + i];
        sum += product;
        size += std::fabs(product);
      }
      const std::uint16_t got = elements(args.out, row)[column];
      if (!std::isfinite(size)) {
        // NaN or an infinity among the inputs decides alone.
        const int expected = std::isnan(sum) ? 0x7FFF : sum > 0 ? 0x7F80 : 0xFF80;
        EXPECT_EQ(got, expected) << row << ", " << column;
        continue;
      }
      if (size > 0x1p126) continue;
      ASSERT_LE(std::fabs(reference::value_of_bfloat16(got) - sum), 0x1p-8 * std::fabs(sum) + 0x1p-20 * size + 0x1p-133)
          << row << ", " << column;
    }
  }
}

TEST(SmallGemm, WithinTheBoundOfDouble) {
  for (const OperationCase<SmallGemm>& each : cases::operation_cases<SmallGemm>()) {
    SCOPED_TRACE(each.name);
    for (const Backend backend : {Backend::kReference, Backend::kCpu}) {
      if (backend == Backend::kReference && each.args.x.shape[0] > 6) continue;  // it takes its time
      OperationRound<SmallGemm> round(each, 0x5A);
      round.args().call.backend = static_cast<std::int32_t>(backend);
      ASSERT_TRUE(run_operation<SmallGemm>(round.args(), nullptr).ok());
      ASSERT_NO_FATAL_FAILURE(expect_near(round.args()));
    }
  }
}

// One product next to whose sum the others are half a unit in the last place each: the order of the sum decides how
// many of them are lost, and all the same must stay in the bound.
TEST(SmallGemm, WithinTheBoundWhereRoundingsAgree) {
  for (const int heavy : {0, 7, 255, 256, 300, 511}) {
    TensorStore store;
    keysieve_small_gemm_args args = good_args(store, 1);
    auto* x = static_cast<std::uint16_t*>(args.x.data);
    auto* w = static_cast<std::uint16_t*>(args.w.data);
    for (int column = 0; column < 128; ++column) {
      for (int i = 0; i < 512; ++i) {
        x[i] = 0x3F80;
        // Between 1 and minus 1, which leave what was not lost of these, about 2^-24 each.
        w[column * 512 + i] = static_cast<std::uint16_t>(0x3380 + column);
      }
      w[column * 512 + heavy] = 0x3F80;
      w[column * 512 + (heavy + 64) % 512] = 0xBF80;
    }
    ASSERT_TRUE(run_operation<SmallGemm>(args, nullptr).ok());
    Faults faults;
    check_operation<SmallGemm>(args, faults);
    ASSERT_NO_FATAL_FAILURE(expect_near(args)) << heavy;
  }
}

TEST(SmallGemm, ARowIsTheSameAloneAndAmongOthers) {
  for (const OperationCase<SmallGemm>& each : cases::operation_cases<SmallGemm>()) {
    if (each.args.x.shape[0] < 2) continue;
    SCOPED_TRACE(each.name);
    OperationRound<SmallGemm> all(each, 0x5A);
    ASSERT_TRUE(run_operation<SmallGemm>(all.args(), nullptr).ok());
    OperationRound<SmallGemm> alone(each, 0x5A);
    for (std::int64_t row = 0; row < each.args.x.shape[0]; ++row) {
      keysieve_small_gemm_args args = alone.args();
      for (keysieve_tensor* tensor : {&args.x, &args.out}) {
        tensor->data = static_cast<std::uint16_t*>(tensor->data) + row * tensor->strides[0];
        tensor->shape[0] = 1;
      }
      const SmallGemmParams params = SmallGemm::params(args);
      ASSERT_EQ(test::run_call_on_host(SmallGemm::calls(params).calls[0], 0), "");
    }
    ASSERT_EQ(alone.difference(all), "");
  }
}

// Every tile of the CUDA kernel, and a grid that has to be stepped over.
TEST(SmallGemm, TilesLeaveTheSameBytes) {
  for (const OperationCase<SmallGemm>& each : cases::operation_cases<SmallGemm>()) {
    if (each.name.find("gaps, m = 6") == std::string::npos && each.name.find("far apart") == std::string::npos)
      continue;
    OperationRound<SmallGemm> expected(each, 0x5A);
    ASSERT_TRUE(run_operation<SmallGemm>(expected.args(), nullptr).ok());
    for (const std::int32_t rows : {1, 2, 4}) {
      for (const std::int32_t shift : {0, 1}) {
        for (const std::int64_t blocks : {0, 5}) {
          SCOPED_TRACE(each.name + ", " + std::to_string(rows) + " rows, " + std::to_string(1 << shift) + " columns, " +
                       std::to_string(blocks) + " blocks");
          OperationRound<SmallGemm> round(each, 0x5A);
          SmallGemmParams params = SmallGemm::params(round.args());
          params.cta_rows = rows;
          params.cta_columns_shift = shift;
          KernelCalls calls = SmallGemm::calls(params);
          if (blocks > 0) calls.calls[0].blocks = blocks;
          ASSERT_EQ(test::run_call_on_host(calls.calls[0], 2), "");
          ASSERT_EQ(round.damaged(), "");
          ASSERT_EQ(round.difference(expected), "");
        }
      }
    }
  }
}

TEST(SmallGemm, RefusesByName) {
  TensorStore store;
  const keysieve_small_gemm_args good = good_args(store);
  EXPECT_EQ(faults_of(good), "");
  auto args = good;
  args.w.shape[0] = 64;
  EXPECT_EQ(faults_of(args), "w: expected [N, K] = [128, 512] or [32, 5120], got [64, 512]");
  EXPECT_EQ(run_operation<SmallGemm>(args, nullptr).code(), StatusCode::kUnsupported);
  args = good;
  args.x.shape[1] = 256;
  EXPECT_EQ(faults_of(args), "x: expected [m, K=512], got [3, 256]");
  args = good;
  args.out.shape[0] = 2;
  EXPECT_EQ(faults_of(args), "out: expected [m=3, N=128], got [2, 128]");
  args = good;
  args.out.element = KEYSIEVE_ELEMENT_FLOAT32;
  EXPECT_EQ(faults_of(args), "out: expected bfloat16, got float32");
  args = good;
  args.x.strides[0] = 516;
  EXPECT_EQ(faults_of(args), "x: expected an address and strides that are multiples of 16 bytes");
  EXPECT_EQ(run_operation<SmallGemm>(args, nullptr).code(), StatusCode::kUnsupported);
  args = good;
  args.w.strides[0] = 520;
  EXPECT_NE(faults_of(args).find("w: expected a contiguous tensor"), std::string::npos);
  args = good;
  args.out.data = args.x.data;
  EXPECT_EQ(faults_of(args), "out: expected memory of its own, overlaps x");
  args = good;
  args.max_m = -2;
  EXPECT_EQ(faults_of(args), "max_m: expected 0 or more, or KEYSIEVE_AUTO, got -2");
  // A number is literal, 0 too; AUTO is 32.
  args.max_m = 0;
  EXPECT_EQ(faults_of(args), "x: expected at most max_m=0 rows, got 3");
  args.max_m = 3;
  EXPECT_EQ(faults_of(args), "");
  args = good;
  args.x.shape[0] = args.out.shape[0] = 0;
  args.max_m = 0;
  EXPECT_EQ(faults_of(args), "");
  EXPECT_TRUE(run_operation<SmallGemm>(args, nullptr).ok());
  TensorStore more;
  args = good_args(more, 33);
  EXPECT_EQ(faults_of(args), "x: expected at most max_m=32 rows, got 33");
  EXPECT_EQ(run_operation<SmallGemm>(args, nullptr).code(), StatusCode::kUnsupported);
  args.max_m = 33;
  EXPECT_EQ(faults_of(args), "");
}

TEST(SmallGemm, RefusesOldDevices) {
  DeviceProfile device{};
  device.compute_capability = 89;
  Faults faults;
  SmallGemm::check_device(device, faults);
  EXPECT_EQ(faults.lines(), "device: expected compute capability 9.0 or newer, got 8.9");
  device.compute_capability = 90;
  Faults none;
  SmallGemm::check_device(device, none);
  EXPECT_EQ(none.lines(), "");
}

}  // namespace
}  // namespace keysieve

// RMSNorm with MXFP8 quantisation: y near the reference, q and scales equal to what y's bits ask for, every byte of the
// scales; what is refused, by name.
#include "helpers/rmsnorm_mxfp8.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "cases/operation/operation_case.hpp"
#include "core/mxfp8.hpp"
#include "cuda/operation_host.hpp"
#include "reference/mxfp8_reference.hpp"
#include "reference/number_reference.hpp"

namespace keysieve {
namespace {

using cases::OperationCase;
using cases::OperationRound;
using cases::TensorStore;

template <typename Operation>
using RoundArgs = typename Operation::Args;

std::uint16_t* words_of(const keysieve_tensor& tensor) { return static_cast<std::uint16_t*>(tensor.data); }
std::uint8_t* bytes_of(const keysieve_tensor& tensor) { return static_cast<std::uint8_t*>(tensor.data); }

template <typename Operation>
void run(RoundArgs<Operation> args, Backend backend) {
  args.call.backend = static_cast<std::int32_t>(backend);
  const Status status = run_operation<Operation>(args, nullptr);
  ASSERT_TRUE(status.ok()) << status.message();
}

// q and scales against y, all three of `args`; gaps and padding are the caller's to look at.
template <typename Args>
void expect_quantized(const Args& args) {
  const std::int64_t m = args.y.shape[0], columns = args.y.shape[1];
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(m * columns));
  std::vector<std::uint8_t> scales(static_cast<std::size_t>(args.scales.shape[0]), 0xCC);
  const std::int64_t y_stride = args.y.strides[0], q_stride = args.q.strides[0];
  reference::quantize_mxfp8(words_of(args.y), m, columns, y_stride, codes.data(), columns, scales.data());
  for (std::int64_t row = 0; row < m; ++row) {
    for (std::int64_t i = 0; i < columns; ++i) {
      ASSERT_EQ(bytes_of(args.q)[row * q_stride + i], codes[static_cast<std::size_t>(row * columns + i)])
          << "row " << row << " column " << i << " y " << words_of(args.y)[row * y_stride + i];
    }
  }
  for (std::size_t i = 0; i < scales.size(); ++i) ASSERT_EQ(bytes_of(args.scales)[i], scales[i]) << "scale " << i;
}

// Places on the number line of BF16, so that neighbours are one apart.
std::int32_t place_of(std::uint16_t bits) { return (bits & 0x8000) != 0 ? -(bits & 0x7FFF) : bits; }

// y of `mine` within one step of `reference`, where FP32 stays inside its range on the way. `v`: what is normalised.
template <typename Args>
void expect_near(const Args& mine, const Args& reference, const std::vector<std::uint16_t>& v) {
  const std::int64_t columns = mine.y.shape[1];
  for (std::int64_t row = 0; row < mine.y.shape[0]; ++row) {
    double sum = 0;
    for (std::int64_t i = 0; i < columns; ++i) {
      const double value = reference::value_of_bfloat16(v[static_cast<std::size_t>(row * columns + i)]);
      sum += value * value;
    }
    const double mean = sum / static_cast<double>(columns) + static_cast<double>(mine.eps);
    if (!(mean > 1e-20) || !(sum < 1e38)) continue;
    for (std::int64_t i = 0; i < columns; ++i) {
      const double scaled =
          std::fabs(reference::value_of_bfloat16(v[static_cast<std::size_t>(row * columns + i)])) / std::sqrt(mean);
      if (scaled != 0 && scaled < 1e-30) continue;
      const std::uint16_t got = words_of(mine.y)[row * mine.y.strides[0] + i];
      const std::uint16_t exact = words_of(reference.y)[row * reference.y.strides[0] + i];
      ASSERT_LE(std::abs(place_of(got) - place_of(exact)), 1) << "row " << row << " column " << i;
    }
  }
}

std::vector<std::uint16_t> normalized_values(const keysieve_rmsnorm_mxfp8_args& args) {
  std::vector<std::uint16_t> values;
  for (std::int64_t row = 0; row < args.x.shape[0]; ++row) {
    const std::uint16_t* x = words_of(args.x) + row * args.x.strides[0];
    values.insert(values.end(), x, x + args.x.shape[1]);
  }
  return values;
}

// As a weighted sum of reals: the chain of roundings is held by the comparison of backends, and by EqualsOneStream.
std::vector<std::uint16_t> normalized_values(const keysieve_hc_rmsnorm_mxfp8_args& args) {
  const std::int64_t columns = args.weight.shape[0];
  std::vector<std::uint16_t> values;
  for (std::int64_t row = 0; row < args.x.shape[0]; ++row) {
    for (std::int64_t i = 0; i < columns; ++i) {
      float sum = 0;
      for (std::int64_t stream = 0; stream < 4; ++stream) {
        const std::int64_t at = row * args.pre.strides[0] + stream;
        const double pre = args.pre.element == KEYSIEVE_ELEMENT_FLOAT32
                               ? static_cast<double>(static_cast<const float*>(args.pre.data)[at])
                               : reference::value_of_bfloat16(words_of(args.pre)[at]);
        const double x = reference::value_of_bfloat16(words_of(args.x)[row * args.x.strides[0] + stream * columns + i]);
        sum = std::fma(static_cast<float>(pre), static_cast<float>(x), sum);
      }
      values.push_back(reference::nearest_bfloat16(static_cast<double>(sum)));
    }
  }
  return values;
}

template <typename Operation>
void expect_all_cases_right() {
  for (const OperationCase<Operation>& each : cases::operation_cases<Operation>()) {
    SCOPED_TRACE(each.name);
    if (each.args.y.rank == 0 || each.args.x.shape[0] == 0) continue;
    OperationRound<Operation> on_cpu(each, 0x5A), reference(each, 0x5A);
    ASSERT_NO_FATAL_FAILURE(run<Operation>(on_cpu.args(), Backend::kCpu));
    ASSERT_NO_FATAL_FAILURE(run<Operation>(reference.args(), Backend::kReference));
    ASSERT_NO_FATAL_FAILURE(expect_near(on_cpu.args(), reference.args(), normalized_values(on_cpu.args())));
    if (each.args.q.rank == 0) continue;
    ASSERT_NO_FATAL_FAILURE(expect_quantized(on_cpu.args()));
    ASSERT_NO_FATAL_FAILURE(expect_quantized(reference.args()));
    // The same with one kind of output alone.
    OperationRound<Operation> quantized(each, 0xA5), plain(each, 0xA5);
    quantized.args().y.rank = 0;
    plain.args().q.rank = plain.args().scales.rank = 0;
    ASSERT_NO_FATAL_FAILURE(run<Operation>(quantized.args(), Backend::kCpu));
    ASSERT_NO_FATAL_FAILURE(run<Operation>(plain.args(), Backend::kCpu));
    for (std::int64_t row = 0; row < each.args.x.shape[0]; ++row) {
      const std::int64_t columns = on_cpu.args().y.shape[1];
      ASSERT_EQ(std::memcmp(words_of(plain.args().y) + row * plain.args().y.strides[0],
                            words_of(on_cpu.args().y) + row * on_cpu.args().y.strides[0],
                            static_cast<std::size_t>(columns) * 2),
                0);
      ASSERT_EQ(
          std::memcmp(bytes_of(quantized.args().q) + row * quantized.args().q.strides[0],
                      bytes_of(on_cpu.args().q) + row * on_cpu.args().q.strides[0], static_cast<std::size_t>(columns)),
          0);
    }
  }
}

TEST(RmsnormMxfp8, CasesAreRight) { expect_all_cases_right<RmsnormMxfp8>(); }
TEST(HcRmsnormMxfp8, CasesAreRight) { expect_all_cases_right<HcRmsnormMxfp8>(); }

// Ones without eps are left alone by the normalisation, so y is the weight, bit for bit: any y can be asked for.
struct GivenY {
  static constexpr std::int64_t kColumns = 32768;
  TensorStore store;
  keysieve_rmsnorm_mxfp8_args args{};

  GivenY() {
    args.struct_size = sizeof(args);
    args.y = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {1, kColumns});
    args.q = store.make(KEYSIEVE_ELEMENT_BYTE, {1, kColumns});
    args.scales = store.make(KEYSIEVE_ELEMENT_BYTE, {mxfp8_scale_bytes(1, kColumns)});
    args.x = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {1, kColumns});
    args.weight = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {kColumns});
    for (keysieve_tensor* tensor : {&args.y, &args.q, &args.scales, &args.x, &args.weight}) {
      Faults faults;
      resolve_strides("", *tensor, faults);
    }
    std::fill_n(words_of(args.x), kColumns, std::uint16_t{0x3F80});
  }
  void check(bool sources) {
    ASSERT_NO_FATAL_FAILURE(run<RmsnormMxfp8>(args, Backend::kCpu));
    for (std::int64_t i = 0; i < kColumns; ++i) {
      const std::uint16_t wanted = words_of(args.weight)[i];
      ASSERT_EQ(words_of(args.y)[i], (wanted & 0x7FFF) > 0x7F80 ? 0x7FFF : wanted) << i;
    }
    ASSERT_NO_FATAL_FAILURE(expect_quantized(args));
    if (!sources) return;
    std::memset(args.q.data, 0x5A, kColumns);
    ASSERT_EQ(test::run_cuda_sources<RmsnormMxfp8>(args, 1), "");
    ASSERT_NO_FATAL_FAILURE(expect_quantized(args));
  }
};

TEST(RmsnormMxfp8, EveryMagnitudeAsTheLargestOfAGroup) {
  GivenY given;
  std::uint64_t state = 1;
  constexpr std::int64_t kGroups = GivenY::kColumns / 32;
  for (std::int64_t first = 0; first < 0x8000; first += kGroups) {
    for (std::int64_t group = 0; group < kGroups; ++group) {
      const auto largest = static_cast<std::uint16_t>(first + group);
      std::uint16_t* of_group = words_of(given.args.weight) + group * 32;
      for (int i = 0; i < 32; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const auto sign = static_cast<std::uint16_t>(state >> 63 << 15);
        // Mostly within the codes' range below the largest, at times anything smaller.
        const std::int64_t below = static_cast<std::int64_t>(state >> 20) % (i % 4 == 0 ? largest + 1 : 2048);
        of_group[i] = static_cast<std::uint16_t>(sign | std::max<std::int64_t>(largest - below, 0));
      }
      of_group[state >> 40 & 31] = largest;
    }
    ASSERT_NO_FATAL_FAILURE(given.check(first % 0x2000 == 0)) << first;
  }
}

TEST(RmsnormMxfp8, EveryValueUnderAScale) {
  GivenY given;
  constexpr std::uint16_t kLargest[] = {0x0071, 0x0400, 0x2B00, 0x3F80, 0x3FE0, 0x43E0, 0x43E1, 0x5C12, 0x7F7F};
  for (const std::uint16_t largest : kLargest) {
    std::int64_t at = 0;
    const auto put = [&](std::uint16_t value) {
      if (at % 32 == 0) words_of(given.args.weight)[at++] = largest;
      words_of(given.args.weight)[at++] = value;
      if (at < GivenY::kColumns) return;
      given.check(false);
      at = 0;
    };
    for (std::int32_t bits = 0; bits <= largest; ++bits) {
      put(static_cast<std::uint16_t>(bits));
      put(static_cast<std::uint16_t>(bits | 0x8000));
    }
    while (at != 0) put(0);
    ASSERT_FALSE(HasFatalFailure()) << largest;
  }
}

TEST(RmsnormMxfp8, EveryByteOfTheScales) {
  for (std::int64_t groups = 1; groups <= 20; ++groups) {
    for (const std::int64_t m : {1, 2, 31, 32, 33, 63, 64, 65, 96, 97, 127, 128, 129, 160, 255, 256, 257, 300}) {
      TensorStore store;
      keysieve_rmsnorm_mxfp8_args args{};
      args.struct_size = sizeof(args);
      args.eps = 1e-6f;
      args.y = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {m, groups * 32}, {groups * 32, 1});
      args.q = store.make(KEYSIEVE_ELEMENT_BYTE, {m, groups * 32}, {groups * 32, 1});
      args.scales = store.make(KEYSIEVE_ELEMENT_BYTE, {mxfp8_scale_bytes(m, groups * 32)}, {1}, 0, 0x5A);
      args.x = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {m, groups * 32}, {groups * 32, 1});
      args.weight = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {groups * 32}, {1});
      for (std::int64_t i = 0; i < m * groups * 32; ++i) {
        words_of(args.x)[i] = static_cast<std::uint16_t>(0x3F00 + i * 7919 % 0x180);
      }
      // A scale a group, so that a byte in the wrong place is seen.
      for (std::int64_t i = 0; i < groups * 32; ++i) {
        words_of(args.weight)[i] = static_cast<std::uint16_t>((100 + i / 32) << 7);
      }
      SCOPED_TRACE(std::to_string(m) + " rows of " + std::to_string(groups) + " groups");
      ASSERT_NO_FATAL_FAILURE(run<RmsnormMxfp8>(args, Backend::kCpu));
      ASSERT_NO_FATAL_FAILURE(expect_quantized(args));
      if (m > 2 && groups % 5 != m % 5) continue;
      std::memset(args.scales.data, 0xA5, static_cast<std::size_t>(args.scales.shape[0]));
      ASSERT_EQ(test::run_cuda_sources<RmsnormMxfp8>(args, 2), "");
      ASSERT_NO_FATAL_FAILURE(expect_quantized(args));
      ASSERT_EQ(store.damaged(), "");
    }
  }
}

// A row gives the same bytes however many there are, and four streams of which one counts give those of one stream.
TEST(RmsnormMxfp8, RowsDoNotDependOnEachOther) {
  constexpr std::int64_t kRows = 200, kColumns = 1312;
  TensorStore store;
  keysieve_rmsnorm_mxfp8_args all{};
  all.struct_size = sizeof(all);
  all.eps = 1e-5f;
  all.y = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {kRows, kColumns}, {kColumns, 1});
  all.x = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {kRows, kColumns}, {kColumns, 1});
  all.weight = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {kColumns}, {1});
  for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
    words_of(all.x)[i] = static_cast<std::uint16_t>(0x3E00 + i * 104729 % 0x300);
  }
  for (std::int64_t i = 0; i < kColumns; ++i) words_of(all.weight)[i] = static_cast<std::uint16_t>(0x3F00 + i % 0x90);
  ASSERT_EQ(test::run_cuda_sources<RmsnormMxfp8>(all, 0), "");
  for (const std::int64_t row : {0, 77, 199}) {
    keysieve_rmsnorm_mxfp8_args one = all;
    one.x.shape[0] = one.y.shape[0] = 1;
    one.x.data = words_of(all.x) + row * kColumns;
    one.y = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {1, kColumns}, {kColumns, 1});
    ASSERT_EQ(test::run_cuda_sources<RmsnormMxfp8>(one, 0), "");
    EXPECT_EQ(std::memcmp(one.y.data, words_of(all.y) + row * kColumns, kColumns * 2), 0) << row;
  }
  keysieve_hc_rmsnorm_mxfp8_args four{};
  four.struct_size = sizeof(four);
  four.eps = all.eps;
  four.y = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {kRows / 4, kColumns}, {kColumns, 1});
  four.x = all.x;
  four.x.shape[0] = kRows / 4, four.x.shape[1] = four.x.strides[0] = 4 * kColumns;
  four.weight = all.weight;
  four.pre = store.make(KEYSIEVE_ELEMENT_FLOAT32, {kRows / 4, 4}, {4, 1}, 0, 0);
  for (std::int64_t row = 0; row < kRows / 4; ++row) static_cast<float*>(four.pre.data)[row * 4 + row % 4] = 1;
  ASSERT_EQ(test::run_cuda_sources<HcRmsnormMxfp8>(four, 0), "");
  for (std::int64_t row = 0; row < kRows / 4; ++row) {
    EXPECT_EQ(
        std::memcmp(words_of(four.y) + row * kColumns, words_of(all.y) + (row * 4 + row % 4) * kColumns, kColumns * 2),
        0)
        << row;
  }
}

keysieve_hc_rmsnorm_mxfp8_args good_args(TensorStore& store) {
  keysieve_hc_rmsnorm_mxfp8_args args{};
  args.struct_size = sizeof(args);
  args.eps = 1e-6f;
  args.y = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {3, 64});
  args.q = store.make(KEYSIEVE_ELEMENT_BYTE, {3, 64});
  args.scales = store.make(KEYSIEVE_ELEMENT_BYTE, {512});
  args.x = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {3, 256});
  args.pre = store.make(KEYSIEVE_ELEMENT_FLOAT32, {3, 4});
  args.weight = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {64});
  return args;
}

std::string faults_of(keysieve_hc_rmsnorm_mxfp8_args args) {
  Faults faults;
  check_operation<HcRmsnormMxfp8>(args, faults);
  return faults.lines();
}

TEST(RmsnormMxfp8, RefusesByName) {
  TensorStore store;
  const keysieve_hc_rmsnorm_mxfp8_args good = good_args(store);
  EXPECT_EQ(faults_of(good), "");
  const auto after = [&](const std::function<void(keysieve_hc_rmsnorm_mxfp8_args&)>& change) {
    auto args = good;
    change(args);
    return faults_of(args);
  };
  EXPECT_EQ(after([](auto& args) { args.x.element = KEYSIEVE_ELEMENT_FLOAT16; }), "x: expected bfloat16, got float16");
  EXPECT_EQ(after([](auto& args) { args.x.shape[1] = 64; }), "x: expected [m, 4 * K=256], got [3, 64]");
  EXPECT_EQ(after([](auto& args) { args.weight.rank = 0; }), "weight: expected a tensor, got none");
  EXPECT_EQ(after([](auto& args) { args.weight.shape[0] = 48; }),
            "weight: expected a multiple of 32 up to 16384 as K, got 48");
  EXPECT_EQ(after([](auto& args) { args.weight.data = nullptr; }), "weight: expected a pointer, got null");
  EXPECT_EQ(after([](auto& args) { args.eps = -1; }), "eps: expected a finite number from 0 up, got -1.000000");
  EXPECT_EQ(after([](auto& args) { args.eps = std::nanf(""); }), "eps: expected a finite number from 0 up, got nan");
  EXPECT_EQ(after([](auto& args) { args.q.rank = 0; }), "q, scales: expected both or neither, got one");
  EXPECT_EQ(after([](auto& args) { args.y.rank = args.q.rank = args.scales.rank = 0; }),
            "y, q: expected an output, got none");
  EXPECT_EQ(after([](auto& args) { args.scales.shape[0] = 511; }), "scales: expected [bytes=512], got [511]");
  EXPECT_EQ(after([](auto& args) { args.y.shape[0] = 2; }), "y: expected [m=3, K=64], got [2, 64]");
  EXPECT_EQ(after([](auto& args) { args.q.element = KEYSIEVE_ELEMENT_BFLOAT16; }), "q: expected byte, got bfloat16");
  EXPECT_EQ(after([](auto& args) { args.pre.shape[1] = 3; }), "pre: expected [m=3, streams=4], got [3, 3]");
  EXPECT_EQ(after([](auto& args) { args.pre.element = KEYSIEVE_ELEMENT_FLOAT16; }),
            "pre: expected float32 or bfloat16, got float16");
  EXPECT_NE(after([](auto& args) { args.y.data = args.x.data; }).find("y: expected memory of its own, overlaps x"),
            std::string::npos);
  EXPECT_EQ(after([](auto& args) { args.x.strides[1] = 2; }), "x: expected inner stride 1, got strides [512, 2]");
}

}  // namespace
}  // namespace keysieve

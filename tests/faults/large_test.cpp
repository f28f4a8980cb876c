// Classes E and O: offsets past 32 bits, more rows than a grid dimension holds. Sparse memory: what no test writes
// is the shared page of zeros.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "faults/fault_check.hpp"
#include "faults/guard_pages.hpp"

namespace keysieve::test {
namespace {

// 4.1 GiB of addresses, 270 KiB of them touched.
TEST(Faults, R41_RowOffsetsPast32Bits) {
  constexpr std::int64_t kRows = 33, kStride = std::int64_t{1} << 26, kWidth = 4096;
  SelectCase spec = fault_case("R41", kRows, kWidth, 64, Pattern::kHalfShuffled);
  spec.score_type = ScoreType::kBFloat16;
  CaseInputs inputs(spec);
  const MappedMemory memory(static_cast<std::size_t>(((kRows - 1) * kStride + kWidth) * 2));
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int64_t column = 0; column < kWidth; ++column) {
      const auto bits = static_cast<std::uint32_t>(0x3000 + (column + 17 * row) * 40503 % 4096);
      inputs.set_score(row, column, bits);
      cases::store_bits(ScoreType::kBFloat16, memory.data(), row * kStride + column, bits);
    }
  }
  expect_right_with(inputs, [&](SelectArgs& args) {
    args.scores = memory.data();
    args.score_row_stride = kStride;
  });
}

TEST(Faults, R43_ManyMediumRows) {
  for (const std::int64_t rows : {kShorterBatch, kSanitized ? std::int64_t{3000} : std::int64_t{60000}}) {
    expect_right(fault_case("R43", rows, 1000, 10, Pattern::kUniform));
  }
  for (const std::int64_t rows : {kShorterBatch, kSanitized ? std::int64_t{3000} : std::int64_t{122880}}) {
    expect_right(fault_case("R43", rows, 1024, 32, Pattern::kUniform));
  }

  // 4.2 GB: zeros but for 24 columns a row, of which the best 20 are known.
  constexpr std::int64_t kWidth = 500000, kK = 20, kMarked = 24;
  const std::int64_t rows = kSanitized ? 200 : 2120;
  const MappedMemory memory(static_cast<std::size_t>(rows * kWidth * 4));
  auto* scores = reinterpret_cast<float*>(memory.data());
  std::vector<std::int32_t> expected;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<std::int32_t> columns;
    for (std::int64_t i = 0; i < kMarked; ++i) {
      const std::int64_t column = (row * 7919 + i * 20011) % kWidth;  // steps of a prime: distinct
      scores[row * kWidth + column] = static_cast<float>(i + 1);
      if (i >= kMarked - kK) columns.push_back(static_cast<std::int32_t>(column));
    }
    std::sort(columns.begin(), columns.end());
    expected.insert(expected.end(), columns.begin(), columns.end());
  }
  SelectProblem problem;
  problem.backend = Backend::kCpu;
  problem.route = Route::kCpuRows;
  problem.threads = 2;
  problem.rows = rows;
  problem.width = kWidth;
  problem.k = kK;
  const SelectPlan plan = make_plan(problem);
  std::vector<std::int32_t> indices(expected.size(), 0x5A5A5A5A);
  std::vector<std::byte> workspace(static_cast<std::size_t>(plan.workspace_bytes), std::byte{0xFF});
  SelectArgs args;
  args.scores = scores;
  args.indices = indices.data();
  args.workspace = workspace.data();
  args.workspace_bytes = plan.workspace_bytes;
  run(plan, args);
  EXPECT_TRUE(indices == expected) << "first difference in slot "
                                   << std::mismatch(indices.begin(), indices.end(), expected.begin()).first -
                                          indices.begin();
}

TEST(Faults, R98_MoreRowsThanAGridHolds) {
  for (const std::int64_t rows : {kShorterBatch, kSanitized ? std::int64_t{3000} : std::int64_t{60000}}) {
    expect_right(fault_case("R98", rows, 1000, 10, Pattern::kLowBits));
  }
  for (const std::int64_t rows : {kShorterBatch, kSanitized ? std::int64_t{9000} : std::int64_t{240000}}) {
    expect_right(fault_case("R98", rows, 32, 4, Pattern::kGauss));
  }
}

}  // namespace
}  // namespace keysieve::test

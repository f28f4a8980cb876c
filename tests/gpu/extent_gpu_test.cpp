// Sizes past what 16, 31 and 32 bits hold. Device memory is filled only where rows are live.
#include <gtest/gtest.h>

#include <numeric>

#include "standing_call.hpp"

namespace keysieve::test {
namespace {

using cases::SelectCase;

constexpr std::size_t kGibibyte = std::size_t{1} << 30;

// Skips, with the numbers, where the device has less.
#define KEYSIEVE_NEEDS_DEVICE_MEMORY(bytes)                                                                       \
  do {                                                                                                            \
    std::size_t free_bytes = 0, total_bytes = 0;                                                                  \
    check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");                                           \
    if (free_bytes < (bytes))                                                                                     \
      GTEST_SKIP() << "needs " << (bytes) / kGibibyte << " GiB of free device memory, " << free_bytes / kGibibyte \
                   << " are free";                                                                                \
  } while (false)

// Rows of a small case laid out with a stride of their own: offsets past 2^32 elements, and past 2^33 bytes. What
// lies between the rows is NaN.
void expect_right_at_stride(ScoreType type, std::int64_t rows, std::int64_t stride) {
  SelectCase spec;
  spec.name = "offsets";
  spec.rows = rows;
  spec.width = 20000;
  spec.k = 512;
  spec.score_type = type;
  spec.pattern.kind = cases::Pattern::kGauss;
  const Round round(spec);
  const auto element = static_cast<std::size_t>(size_bytes(type));
  const std::size_t row_bytes = static_cast<std::size_t>(spec.width) * element;
  const std::size_t bytes = static_cast<std::size_t>((rows - 1) * stride) * element + row_bytes;
  const PooledMemory scores(PooledMemory::Kind::kDevice, bytes);
  const Stream stream;
  check(cudaMemsetAsync(scores.data(), 0xFF, bytes, stream.get()), "cudaMemsetAsync");
  check(cudaMemcpy2DAsync(scores.data(), static_cast<std::size_t>(stride) * element, round.inputs.args().scores,
                          row_bytes, row_bytes, static_cast<std::size_t>(rows), cudaMemcpyHostToDevice, stream.get()),
        "cudaMemcpy2DAsync");
  int setups_run = 0;
  for (const GpuSetup& setup : gpu_setups()) {
    const PlanAnswer answer = plan_on_gpu(round.inputs.problem(), setup);
    ASSERT_EQ(answer.fault, "");
    if (answer.refused) continue;
    ++setups_run;
    StandingCall call(stream.get(), round, answer.plan);
    call.call().args().scores = scores.data();
    call.call().args().score_row_stride = stride;
    call.load(round, 0x5A);
    call.enqueue();
    ASSERT_EQ(call.compare(describe(setup)), "") << "stride " << stride;
  }
  EXPECT_GT(setups_run, 0);
}

TEST(Extents, OffsetsPast32BitsOfElements) {
  KEYSIEVE_NEEDS_DEVICE_MEMORY(20 * kGibibyte);
  expect_right_at_stride(ScoreType::kBFloat16, 5, (std::int64_t{1} << 30) + 8);  // 4 x 2^30 + ...: 8 GiB
  expect_right_at_stride(ScoreType::kFloat16, 67, (std::int64_t{1} << 26) + 3);  // unaligned rows
  expect_right_at_stride(ScoreType::kFloat32, 3, (std::int64_t{1} << 31) + 4);   // 16 GiB
}

// Outputs far apart: [rows, k] with a row stride that passes 2^31 elements.
TEST(Extents, OutputsFarApart) {
  KEYSIEVE_NEEDS_DEVICE_MEMORY(12 * kGibibyte);
  SelectCase spec;
  spec.name = "far outputs";
  spec.rows = 3;
  spec.width = 9000;
  spec.k = 64;
  spec.want_values = spec.want_counts = spec.want_error_word = false;
  const Round round(spec);
  const std::int64_t stride = (std::int64_t{1} << 30) + 1;
  const PooledMemory out(PooledMemory::Kind::kDevice, static_cast<std::size_t>(2 * stride + spec.k) * 4);
  const Stream stream;
  for (const GpuSetup& setup : gpu_setups()) {
    const PlanAnswer answer = plan_on_gpu(round.inputs.problem(), setup);
    if (answer.refused) continue;
    StandingCall call(stream.get(), round, answer.plan);
    SelectArgs args = call.call().args();
    args.indices = out.data();
    args.indices_row_stride = stride;
    run(answer.plan, args, stream.get());
    std::vector<std::int32_t> row(static_cast<std::size_t>(spec.k));
    for (std::int64_t r = 0; r < spec.rows; ++r) {
      check(cudaMemcpyAsync(row.data(), out.data() + r * stride * 4, row.size() * 4, cudaMemcpyDeviceToHost,
                            stream.get()),
            "cudaMemcpyAsync");
      wait_for(stream.get(), describe(setup));
      for (std::int64_t slot = 0; slot < spec.k; ++slot) {
        ASSERT_EQ(row[static_cast<std::size_t>(slot)], round.expected.index(r, slot)) << describe(setup) << r;
      }
    }
  }
}

// One row of 2^31 - 1 columns in a 16-bit type: one value everywhere but for planted winners, some of them at the very
// end; the rest of the slots goes to the smallest (or largest) positions of the plateau.
TEST(Extents, TheWidestRow) {
  constexpr std::int64_t kWidth = KEYSIEVE_MAX_WIDTH, kK = 1000;
  KEYSIEVE_NEEDS_DEVICE_MEMORY(12 * kGibibyte);
  const Stream stream;
  const PooledMemory scores(PooledMemory::Kind::kDevice, static_cast<std::size_t>(kWidth) * 2);
  check(cudaMemsetAsync(scores.data(), 0x38, static_cast<std::size_t>(kWidth) * 2, stream.get()), "cudaMemsetAsync");
  std::vector<std::int64_t> winners;
  for (std::int64_t i = 0; i < 300; ++i) winners.push_back(i * 7158278 + 12345);
  for (std::int64_t i = 1; i <= 9; ++i) winners.push_back(kWidth - i);
  const std::uint16_t winner = 0x3A00;  // above 0x3838 in both 16-bit types
  for (const std::int64_t column : winners) {
    check(cudaMemcpyAsync(scores.data() + 2 * column, &winner, 2, cudaMemcpyHostToDevice, stream.get()), "plant");
  }
  wait_for(stream.get(), "planting the winners");
  std::sort(winners.begin(), winners.end());
  for (const Ties ties : {Ties::kSmallest, Ties::kLargest}) {
    std::vector<std::int64_t> expected = winners;
    for (std::int64_t i = 0; std::ssize(expected) < kK; ++i) {
      const std::int64_t column = ties == Ties::kSmallest ? i : kWidth - 1 - i;
      if (!std::binary_search(winners.begin(), winners.end(), column)) expected.push_back(column);
    }
    std::sort(expected.begin(), expected.end());
    SelectProblem problem;
    problem.rows = 1;
    problem.width = kWidth;
    problem.k = kK;
    problem.score_type = ScoreType::kFloat16;
    problem.ties = ties;
    int setups_run = 0;
    for (const GpuSetup& setup : gpu_setups()) {
      const PlanAnswer answer = plan_on_gpu(problem, setup);
      ASSERT_EQ(answer.fault, "");
      if (answer.refused) continue;
      ++setups_run;
      const PooledMemory indices(PooledMemory::Kind::kDevice, kK * 4);
      const PooledMemory workspace(PooledMemory::Kind::kDevice,
                                   static_cast<std::size_t>(answer.plan.workspace_bytes) + 1);
      check(cudaMemsetAsync(indices.data(), 0x5A, kK * 4, stream.get()), "cudaMemsetAsync");
      check(cudaMemsetAsync(workspace.data(), 0xFF, workspace.size(), stream.get()), "cudaMemsetAsync");
      SelectArgs args;
      args.scores = scores.data();
      args.indices = indices.data();
      args.workspace = workspace.data();
      args.workspace_bytes = answer.plan.workspace_bytes;
      run(answer.plan, args, stream.get());
      std::vector<std::int32_t> got(static_cast<std::size_t>(kK));
      check(cudaMemcpyAsync(got.data(), indices.data(), kK * 4, cudaMemcpyDeviceToHost, stream.get()), "copy");
      wait_for(stream.get(), "the widest row on " + describe(setup));
      ASSERT_EQ(std::vector<std::int64_t>(got.begin(), got.end()), expected) << describe(setup);
    }
    EXPECT_GT(setups_run, 0);
  }
}

// More rows than a grid dimension holds, on every route.
TEST(Extents, MoreRowsThanAGridHolds) {
  const Stream stream;
  for (const auto& [rows, width, k] : {std::array<std::int64_t, 3>{240000, 32, 4}, {70000, 100, 128}}) {
    SelectCase spec;
    spec.name = "many rows";
    spec.rows = rows;
    spec.width = width;
    spec.k = k;
    spec.length_kind = cases::LengthKind::kRagged;
    spec.want_values = false;
    const Round round(spec);
    Tally tally;
    ASSERT_EQ(check_on_gpu(stream.get(), round.inputs, round.expected, gpu_setups(), 0, tally), "");
    EXPECT_GT(tally.runs(Route::kAuto), 0);
  }
}

TEST(Extents, EmptyBatchesThenANormalCall) {
  const Stream stream;
  for (const GpuSetup& setup : gpu_setups()) {
    Tally tally;
    for (const auto& [rows, width] : {std::pair{0, 4096}, std::pair{3, 0}, std::pair{0, 0}, std::pair{3, 4096}}) {
      SelectCase spec;
      spec.name = "empty";
      spec.rows = rows;
      spec.width = width;
      spec.k = 512;
      const Round round(spec);
      ASSERT_EQ(check_on_gpu(stream.get(), round.inputs, round.expected, {setup}, 0, tally), "");
    }
  }
  // An idle rank has nothing to point at.
  SelectProblem idle;
  idle.width = 4096;
  idle.k = 512;
  const PlanAnswer answer = plan_on_gpu(idle, {});
  ASSERT_FALSE(answer.refused);
  EXPECT_TRUE(try_run(answer.plan, SelectArgs{}, stream.get()).ok());
  wait_for(stream.get(), "an empty batch");
}

}  // namespace
}  // namespace keysieve::test

// Shadow mode on a device: what it sees is what stream order shows behind the call, and the caller waits for nothing.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "cases/case_table.hpp"
#include "keysieve/shadow.hpp"
#include "standing_call.hpp"
#include "test_kernels.hpp"

namespace keysieve::test {
namespace {

using cases::SelectCase;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kLongKernelMicroseconds = 300'000;

ShadowOptions watch_all() {
  ShadowOptions options;
  options.device_type = DeviceType::kCuda;
  options.share = 1.0;
  options.max_rows_per_call = 64;
  options.slots = 2;
  options.slot_bytes = 16 << 20;
  return options;
}

SelectCase dual_case() {
  SelectCase spec;
  spec.name = "shadow";
  spec.rows = 6;
  spec.width = 20000;
  spec.k = 300;
  spec.mode = IndexMode::kDual;
  spec.pattern.kind = cases::Pattern::kFewValues;
  spec.length_kind = cases::LengthKind::kRagged;
  return spec;
}

// A call that stands on the device, with its plan, on a stream of its own.
struct Standing {
  explicit Standing(const SelectCase& spec)
      : round(spec), answer(plan_on_gpu(round.inputs.problem(), {})), call(stream.get(), round, answer.plan) {}

  void observe(Shadow& shadow) { shadow.observe(answer.plan, call.call().args(), stream.get()); }
  std::byte* indices() { return static_cast<std::byte*>(call.call().args().indices); }
  void settle() { wait_for(stream.get(), "a test of shadow mode"); }

  const Stream stream;
  const Round round;
  const PlanAnswer answer;
  StandingCall call;
};

TEST(GpuShadow, RightResultsAreNotReported) {
  const Stream stream;
  Shadow shadow(watch_all());
  std::int64_t rows = 0;
  int turn = 0;
  for (const SelectCase& spec : cases::case_table()) {
    if (spec.rows == 0 || spec.rows > 64 || spec.rows * spec.width > 150000 || spec.k > 8192) continue;
    const Round round(spec);
    const GpuSetup& setup = gpu_setups()[static_cast<std::size_t>(turn++) % gpu_setups().size()];
    PlanAnswer answer = plan_on_gpu(round.inputs.problem(), setup);
    if (answer.refused) answer = plan_on_gpu(round.inputs.problem(), {});
    ASSERT_EQ(answer.fault, "");
    ASSERT_FALSE(answer.refused) << spec.name;
    StandingCall call(stream.get(), round, answer.plan);
    call.enqueue();
    shadow.observe(answer.plan, call.call().args(), stream.get());
    ASSERT_TRUE(shadow.wait(10'000)) << spec.name;
    ASSERT_EQ(shadow.report().rows_wrong, 0) << spec.name << "\n" << shadow.report_json();
    rows += spec.rows;
  }
  EXPECT_EQ(shadow.report().rows_checked, rows) << shadow.report_json();
  EXPECT_GT(rows, 300);
}

TEST(GpuShadow, AWrongSlotIsFound) {
  Standing standing(dual_case());
  Shadow shadow(watch_all());
  standing.call.enqueue();
  flip_byte(standing.indices() + 4 * 7, standing.stream.get());
  standing.observe(shadow);
  ASSERT_TRUE(shadow.wait(10'000));
  const ShadowReport report = shadow.report();
  EXPECT_EQ(report.rows_wrong, 1);
  EXPECT_EQ(report.first_wrong_output, ShadowOutput::kIndices);
  EXPECT_EQ(report.first_wrong_row, 0);
  EXPECT_EQ(report.first_wrong_slot, 7);
  EXPECT_EQ(report.first_wrong_expected, standing.round.expected.index(0, 7));
  standing.settle();
}

// Whatever the stream does behind observe changes no verdict, right or wrong.
TEST(GpuShadow, LaterWritesOnTheStreamDoNotMatter) {
  for (const bool right : {true, false}) {
    const SelectCase spec = dual_case();
    Standing standing(spec);
    Shadow shadow(watch_all());
    spin(20'000, standing.stream.get());
    standing.call.enqueue();
    if (!right) flip_byte(standing.indices(), standing.stream.get());
    standing.observe(shadow);
    if (!right) flip_byte(standing.indices(), standing.stream.get());  // right again, too late
    const SelectArgs& args = standing.call.call().args();
    check(cudaMemsetAsync(const_cast<void*>(args.scores), 0, static_cast<std::size_t>(spec.rows * spec.width) * 4,
                          standing.stream.get()),
          "cudaMemsetAsync");
    if (right) {
      check(
          cudaMemsetAsync(args.indices, 0xFF, static_cast<std::size_t>(spec.rows * spec.k) * 4, standing.stream.get()),
          "cudaMemsetAsync");
    }
    ASSERT_TRUE(shadow.wait(10'000));
    EXPECT_EQ(shadow.report().rows_wrong, right ? 0 : 1) << shadow.report_json();
    EXPECT_EQ(shadow.report().calls_checked, 1);
    standing.settle();
  }
}

TEST(GpuShadow, ObserveReturnsWhileTheStreamIsBusyAndSkipsWhenAllSlotsAre) {
  Standing standing(dual_case());
  Shadow shadow(watch_all());
  standing.call.enqueue();  // whatever is done once is done
  standing.observe(shadow);
  ASSERT_TRUE(shadow.wait(10'000));
  spin(kLongKernelMicroseconds, standing.stream.get());
  standing.call.enqueue();
  const auto begin = Clock::now();
  for (int call = 0; call < 5; ++call) standing.observe(shadow);
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count();
  EXPECT_EQ(cudaStreamQuery(standing.stream.get()), cudaErrorNotReady);
  EXPECT_FALSE(shadow.wait(0));
  EXPECT_LT(took, kLongKernelMicroseconds / 3);
  std::printf("  two observed calls of %lld rows and three skipped ones: %lld us\n",
              static_cast<long long>(standing.round.inputs.spec().rows), static_cast<long long>(took));
  RecordProperty("observe_us", std::to_string(took));
  ASSERT_TRUE(shadow.wait(10'000));
  EXPECT_EQ(shadow.report().calls_checked, 3);
  EXPECT_EQ(shadow.report().calls_skipped_busy, 3);
  EXPECT_EQ(shadow.report().rows_wrong, 0);
  standing.settle();
}

TEST(GpuShadow, ACaptureIsCountedAndTheGraphStaysWhole) {
  Standing standing(dual_case());
  const cudaStream_t stream = standing.stream.get();
  Shadow shadow(watch_all());
  standing.settle();
  for (const auto mode :
       {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
    const std::int64_t before = shadow.report().calls_skipped_capturing;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check(cudaStreamBeginCapture(stream, mode), "cudaStreamBeginCapture");
    standing.call.enqueue();
    standing.observe(shadow);
    check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    EXPECT_EQ(shadow.report().calls_skipped_capturing, before + 1);
    check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    standing.call.load(standing.round, 0x5A);
    check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
    standing.observe(shadow);  // behind the launch: the way to look at replays
    ASSERT_TRUE(shadow.wait(10'000));
    EXPECT_EQ(standing.call.compare("replay"), "");
    check(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
    check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  }
  EXPECT_EQ(shadow.report().calls_checked, 3);
  EXPECT_EQ(shadow.report().rows_wrong, 0);
}

// The shadow's thread asks for its events all the time; a capture in global mode forbids that to every thread that has
// not been exempted.
TEST(GpuShadow, CapturesOfOtherThreadsAreNotDisturbed) {
  Standing watched(dual_case()), captured(dual_case());
  Shadow shadow(watch_all());
  watched.settle();
  captured.settle();
  spin(kLongKernelMicroseconds, watched.stream.get());
  watched.call.enqueue();
  watched.observe(shadow);
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(captured.stream.get(), cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  captured.call.enqueue();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  check(cudaStreamEndCapture(captured.stream.get(), &graph), "cudaStreamEndCapture");
  check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  ASSERT_TRUE(shadow.wait(10'000));
  EXPECT_EQ(shadow.report().calls_checked, 1);
  EXPECT_EQ(shadow.report().calls_failed, 0) << shadow.report_json();
  watched.settle();
}

TEST(GpuShadow, TheLegacyStreamAndSeveralStreams) {
  Standing first(dual_case()), second(dual_case());
  Shadow shadow(watch_all());
  first.settle();
  second.settle();
  first.call.enqueue();
  second.call.enqueue();
  second.observe(shadow);
  first.observe(shadow);
  ASSERT_TRUE(shadow.wait(10'000));
  ASSERT_TRUE(try_run(first.answer.plan, first.call.call().args(), nullptr).ok());
  shadow.observe(first.answer.plan, first.call.call().args(), nullptr);
  ASSERT_TRUE(shadow.wait(10'000));
  EXPECT_EQ(shadow.report().calls_checked, 3);
  EXPECT_EQ(shadow.report().rows_wrong, 0);
}

// A table whose lines only the device knows is copied whole, padding left out.
TEST(GpuShadow, MappedTables) {
  SelectCase spec = dual_case();
  spec.table_padding = 5;
  for (const auto layout : {cases::TableLayout::kMapped, cases::TableLayout::kMappedOutside}) {
    spec.table_layout = layout;
    Standing standing(spec);
    Shadow shadow(watch_all());
    standing.call.enqueue();
    standing.observe(shadow);
    ASSERT_TRUE(shadow.wait(10'000));
    EXPECT_EQ(shadow.report().rows_checked, spec.rows);
    EXPECT_EQ(shadow.report().rows_wrong, 0) << shadow.report_json();
  }
}

TEST(GpuShadow, DestructionWaitsForCopiesInFlight) {
  Standing standing(dual_case());
  for (int round = 0; round < 3; ++round) {
    Shadow shadow(watch_all());
    spin(30'000, standing.stream.get());
    standing.call.enqueue();
    standing.observe(shadow);
  }
  standing.settle();
  EXPECT_EQ(standing.call.compare("after three shadows"), "");
}

TEST(GpuShadow, WhatCannotBeHadIsRefusedByName) {
  ShadowOptions options = watch_all();
  options.device_ordinal = 63;
  try {
    Shadow shadow(options);
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kUnsupported);
    EXPECT_EQ(std::string(error.what()).substr(0, 15), "device_ordinal:");
  }
  Standing standing(dual_case());
  options.device_ordinal = 0;
  options.device_type = DeviceType::kCpu;
  Shadow on_cpu(options);
  EXPECT_EQ(on_cpu.try_observe(standing.answer.plan, standing.call.call().args(), standing.stream.get()).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace
}  // namespace keysieve::test

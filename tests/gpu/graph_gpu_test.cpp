// Captured graphs: right for any lengths and scores that come into the same places later.
#include <gtest/gtest.h>

#include <memory>

#include "standing_call.hpp"

namespace keysieve::test {
namespace {

using cases::SelectCase;
using Rounds = std::vector<std::unique_ptr<Round>>;

SelectCase sized_case(const char* name, std::int64_t rows, std::int64_t width, std::int64_t k) {
  SelectCase spec;
  spec.name = name;
  spec.rows = rows;
  spec.width = width;
  spec.k = k;
  spec.length_kind = cases::LengthKind::kExplicit;
  return spec;
}

// Scores of their own for every round.
std::unique_ptr<Round> round_of(SelectCase spec, std::vector<std::int32_t> lengths, std::size_t number) {
  spec.lengths = std::move(lengths);
  spec.pattern.first_row = static_cast<std::uint32_t>(1000 * number);
  spec.pattern.kind = number % 3 == 2 ? cases::Pattern::kUlpShuffled : cases::Pattern::kGauss;
  return std::make_unique<Round>(spec);
}

std::vector<std::int32_t> all_rows(const SelectCase& spec, std::int64_t length) {
  return std::vector<std::int32_t>(static_cast<std::size_t>(spec.rows), static_cast<std::int32_t>(length));
}

// Every round in its turn on a graph that was captured with the first, for each setup that takes the shape.
void expect_replays(const Rounds& rounds, const std::vector<cudaStreamCaptureMode>& modes) {
  const Stream stream;
  int setups_run = 0;
  for (const GpuSetup& setup : gpu_setups()) {
    const PlanAnswer answer = plan_on_gpu(rounds.front()->inputs.problem(), setup);
    ASSERT_EQ(answer.fault, "");
    if (answer.refused) continue;
    ++setups_run;
    for (const cudaStreamCaptureMode mode : modes) {
      CapturedCall captured(stream.get(), *rounds.front(), answer.plan, mode);
      for (std::size_t number = 0; number < rounds.size(); ++number) {
        const std::string what = describe(setup) + ", round " + std::to_string(number);
        ASSERT_EQ(captured.replay(*rounds[number], kGpuPoisons[number % 3], what), "");
      }
    }
  }
  testing::Test::RecordProperty("setups", setups_run);
  EXPECT_GT(setups_run, 0);
}

const std::vector<cudaStreamCaptureMode> kBothModes = {cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeGlobal};
const std::vector<cudaStreamCaptureMode> kOneMode = {cudaStreamCaptureModeThreadLocal};

struct Shape {
  std::int64_t width, k;
};

class GraphReplay : public testing::TestWithParam<Shape> {};

TEST_P(GraphReplay, AnyLengthsAfterAnyOthers) {
  const auto [width, k] = GetParam();
  const std::vector<std::int64_t> edges = {-1,   0,    1,     k - 1, k,     k + 1, width, width + 17, 8191,
                                           8192, 8193, 16383, 16384, 16385, 32767, 32768, 32769};
  SelectCase spec = sized_case("graph", std::ssize(edges), width, k);
  Rounds rounds;
  rounds.push_back(round_of(spec, all_rows(spec, std::min<std::int64_t>(100, width)), 0));
  for (std::size_t shift = 0; shift < edges.size(); shift += 4) {
    std::vector<std::int32_t> lengths;
    for (std::size_t row = 0; row < edges.size(); ++row) {
      lengths.push_back(static_cast<std::int32_t>(edges[(row + shift) % edges.size()]));
    }
    rounds.push_back(round_of(spec, lengths, rounds.size()));
  }
  for (const std::int64_t length :
       {width, std::int64_t{0}, k + 1, k, std::int64_t{-1}, width - 1, std::int64_t{8193}}) {
    rounds.push_back(round_of(spec, all_rows(spec, length), rounds.size()));
  }
  expect_replays(rounds, kBothModes);
}

INSTANTIATE_TEST_SUITE_P(Shapes, GraphReplay,
                         testing::Values(Shape{40000, 512}, Shape{40000, 2048}, Shape{12000, 512}, Shape{500, 512},
                                         Shape{12000, 8192}),
                         [](const auto& instance) {
                           return std::to_string(instance.param.width) + "_k" + std::to_string(instance.param.k);
                         });

// Every output, every mode: the same graph with pages, offsets and draft tokens.
TEST(GraphReplayModes, EveryOutput) {
  for (const IndexMode mode : {IndexMode::kRaw, IndexMode::kOffset, IndexMode::kPaged, IndexMode::kDual}) {
    SelectCase spec = sized_case("graph modes", 6, 9000, 300);
    spec.mode = mode;
    spec.next_n = 3;
    spec.order = mode == IndexMode::kPaged ? SlotOrder::kScore : SlotOrder::kIndex;
    spec.start_kind = cases::StartKind::kUnaligned;
    Rounds rounds;
    rounds.push_back(round_of(spec, {1, 2, 3, 4, 5, 6}, 0));
    rounds.push_back(round_of(spec, {9000, 8000, 301, 300, 299, 0}, 1));
    rounds.push_back(round_of(spec, {-1, 9001, 5000, 100, 8999, 4097}, 2));
    expect_replays(rounds, kOneMode);
  }
}

TEST(GpuFaults, R48_WorkspaceClearMissingFromTheGraph) {
  const SelectCase spec = sized_case("R48", 8, 65536, 512);
  Rounds rounds;
  for (const std::int64_t length : {100, 40000, 40000, 40000, 100, 40000, 40000}) {
    rounds.push_back(round_of(spec, all_rows(spec, length), rounds.size()));
  }
  expect_replays(rounds, kOneMode);
}

TEST(GpuFaults, R49_ScratchAddressBakedIntoTheGraph) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  constexpr int kPieces = 2048, kReplays = 20;
  const SelectCase spec = sized_case("R49", 32, 262144, 1024);
  const auto round = round_of(spec, all_rows(spec, spec.width), 0);
  const Stream stream;
  for (const GpuSetup& setup : gpu_setups()) {
    const PlanAnswer answer = plan_on_gpu(round->inputs.problem(), setup);
    if (answer.refused || setup.split != kAuto) continue;
    ASSERT_EQ(answer.fault, "");
    CapturedCall captured(stream.get(), *round, answer.plan);
    std::vector<void*> kept;
    for (int piece = 0; piece < kPieces; ++piece) {
      void* memory = nullptr;
      check(cudaMalloc(&memory, kPiece), "cudaMalloc");
      kept.push_back(memory);
      check(cudaMemsetAsync(memory, 0xFF, kPiece, stream.get()), "cudaMemsetAsync");
    }
    wait_for(stream.get(), "the filling of the pieces");
    for (std::size_t piece = 0; piece < kept.size(); ++piece) {
      if (piece % 32 == 0) continue;
      check(cudaFree(kept[piece]), "cudaFree");
      kept[piece] = nullptr;
    }
    std::erase(kept, nullptr);
    for (int replay = 0; replay < kReplays; ++replay) {
      ASSERT_EQ(captured.replay(*round, kGpuPoisons[replay % 3], describe(setup)), "");
    }
    std::vector<std::uint8_t> bytes(kPiece);
    for (void* memory : kept) {
      check(cudaMemcpy(bytes.data(), memory, kPiece, cudaMemcpyDeviceToHost), "cudaMemcpy");
      EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0xFF), std::ssize(bytes)) << describe(setup);
      check(cudaFree(memory), "cudaFree");
    }
  }
}

TEST(GpuFaults, R51_AlgorithmFrozenAtCapture) {
  const SelectCase spec = sized_case("R51", 4, 131072, 2048);
  Rounds growing, shrinking;
  growing.push_back(round_of(spec, all_rows(spec, 4096), 0));
  growing.push_back(round_of(spec, all_rows(spec, 131072), 1));
  expect_replays(growing, kOneMode);
  shrinking.push_back(round_of(spec, all_rows(spec, 131072), 0));
  shrinking.push_back(round_of(spec, {0, 1, 2047, 2048}, 1));
  shrinking.push_back(round_of(spec, all_rows(spec, 4096), 2));
  expect_replays(shrinking, kOneMode);
}

TEST(GpuFaults, R54_ZeroLengthRequestsInReplay) {
  for (const std::int64_t k : {512, 2048}) {
    const SelectCase spec = sized_case("R54", 8, 70000, k);
    Rounds rounds;
    rounds.push_back(round_of(spec, all_rows(spec, 70000), 0));
    rounds.push_back(round_of(spec, {300, 5000, 70000, 513, 512, 0, 0, 0}, 1));
    rounds.push_back(round_of(spec, {66000, 0, 0, 0, 0, 0, 0, 0}, 2));
    rounds.push_back(round_of(spec, {300, 5000, 70000, 513, 512, 1, 30000, 2049}, 3));
    expect_replays(rounds, kOneMode);
  }
}

// Microseconds of a replay: the best of several batches.
double replay_time(CapturedCall& captured, cudaStream_t stream) {
  constexpr int kBatches = 10, kReplays = 200;
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  float best = 1e30f;
  for (int batch = 0; batch < kBatches; ++batch) {
    check(cudaEventRecord(begin, stream), "cudaEventRecord");
    for (int replay = 0; replay < kReplays; ++replay) captured.launch();
    check(cudaEventRecord(end, stream), "cudaEventRecord");
    wait_for(stream, "timed replays");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
    best = std::min(best, milliseconds);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return static_cast<double>(best) * 1000.0 / kReplays;
}

// Cost follows the live length, not the capacity.
TEST(GpuFaults, R55_SlowPathFrozenAtCapture) {
  for (const auto& [live, k] : {std::pair<std::int64_t, std::int64_t>{8192, 1024}, {2048, 512}}) {
    const SelectCase wide = sized_case("R55", 8, 262144, k), compact = sized_case("R55 compact", 8, live, k);
    const auto full = round_of(wide, all_rows(wide, 262144), 0);
    const auto short_in_wide = round_of(wide, all_rows(wide, live), 1);
    const auto alone = round_of(compact, all_rows(compact, live), 1);
    const Stream stream;
    CapturedCall in_wide(stream.get(), *full, plan_on_gpu(full->inputs.problem(), {}).plan);
    ASSERT_EQ(in_wide.replay(*short_in_wide, 0x5A, "live columns in a wide buffer"), "");
    CapturedCall in_compact(stream.get(), *alone, plan_on_gpu(alone->inputs.problem(), {}).plan);
    ASSERT_EQ(in_compact.replay(*alone, 0x5A, "the compact buffer"), "");
    const double wide_time = replay_time(in_wide, stream.get()), compact_time = replay_time(in_compact, stream.get());
    std::printf("  live %lld: %.2f us in 262144 columns, %.2f us compact, ratio %.2f\n", static_cast<long long>(live),
                wide_time, compact_time, wide_time / compact_time);
    RecordProperty("ratio_live_" + std::to_string(live), std::to_string(wide_time / compact_time));
    // A tool that slows everything down says nothing about time.
    if (environment_number("KEYSIEVE_GPU_TIMES", 1) != 0) {
      EXPECT_LE(wide_time, 1.3 * compact_time) << "live " << live;
    }
  }
}

// The same set of launches over and over, on streams of their own, workspaces of their own, nothing else apart.
TEST(GpuFaults, R87_ScratchSharedByGraphAndEagerCalls) {
  constexpr int kBursts = 10, kLaunches = 20;
  SelectCase of_8 = sized_case("R87 graph of 8 rows", 8, 100000, 2048);
  SelectCase of_20 = sized_case("R87 graph of 20 rows", 20, 50000, 512);
  SelectCase of_33 = sized_case("R87 eager, 33 rows", 33, 30000, 1024);
  Rounds first, second, third;
  for (std::size_t number = 0; number < 2; ++number) {
    first.push_back(round_of(of_8, all_rows(of_8, 100000 - 90000 * static_cast<std::int64_t>(number)), number));
    second.push_back(round_of(of_20, all_rows(of_20, 50000), number));
    third.push_back(round_of(of_33, all_rows(of_33, 30000), number));
  }
  for (const GpuSetup& setup : gpu_setups()) {
    const PlanAnswer a = plan_on_gpu(first[0]->inputs.problem(), setup);
    const PlanAnswer b = plan_on_gpu(second[0]->inputs.problem(), setup);
    const PlanAnswer c = plan_on_gpu(third[0]->inputs.problem(), setup);
    if (a.refused || b.refused || c.refused) continue;
    for (const bool one_stream : {false, true}) {
      const Stream s1, s2, s3;
      CapturedCall graph_a(s1.get(), *first[0], a.plan);
      CapturedCall graph_b(one_stream ? s1.get() : s2.get(), *second[0], b.plan);
      StandingCall eager(one_stream ? s1.get() : s3.get(), *third[0], c.plan);
      for (std::size_t burst = 0; burst < kBursts; ++burst) {
        graph_a.load(*first[burst % 2], kGpuPoisons[burst % 3]);
        graph_b.load(*second[burst % 2], kGpuPoisons[burst % 3]);
        eager.load(*third[burst % 2], kGpuPoisons[burst % 3]);
        for (int launch = 0; launch < kLaunches; ++launch) {
          graph_a.launch();
          eager.enqueue();
          graph_b.launch();
        }
        ASSERT_EQ(graph_a.compare(describe(setup) + ", first graph"), "") << "one stream: " << one_stream;
        ASSERT_EQ(graph_b.compare(describe(setup) + ", second graph"), "") << "one stream: " << one_stream;
        ASSERT_EQ(eager.compare(describe(setup) + ", eager call"), "") << "one stream: " << one_stream;
      }
    }
  }
}

}  // namespace
}  // namespace keysieve::test

// What must not change a result: hints, counters, where the workspace begins, the number of the run, the place in
// the batch.
#include <gtest/gtest.h>

#include <memory>

#include "cases/hints.hpp"
#include "standing_call.hpp"

namespace keysieve::test {
namespace {

using cases::SelectCase;

constexpr cases::HintKind kHints[] = {
    cases::HintKind::kExact,       cases::HintKind::kNextAbove, cases::HintKind::kTwiceAsHigh,
    cases::HintKind::kHighest,     cases::HintKind::kInfinity,  cases::HintKind::kNan,
    cases::HintKind::kNegativeNan, cases::HintKind::kLowest,    cases::HintKind::kNegativeInfinity,
    cases::HintKind::kZero,        cases::HintKind::kMixed};

// The case with a hint and counters, on every setup. Counters: written for every row, a row is read at most twice.
void expect_right_with_hints(cudaStream_t stream, const Round& round, const std::vector<cases::HintKind>& hints) {
  const SelectCase& spec = round.inputs.spec();
  std::vector<std::byte> hint_row(static_cast<std::size_t>(spec.rows * 4) + 1);
  std::vector<std::int32_t> counters(static_cast<std::size_t>(spec.rows * 2) + 1);
  cases::CaseResult got(round.inputs, 0, std::uint8_t{0x5A});
  SelectArgs host = round.inputs.args();
  got.add_to(host);
  host.hint = hint_row.data();
  host.row_counters = counters.data();
  for (const cases::HintKind hint : hints) {
    for (std::int64_t row = 0; row < spec.rows; ++row) {
      cases::store_bits(spec.score_type, hint_row.data(), row, cases::hint_bits(round.inputs, hint, row));
    }
    DeviceCall call(stream, round.inputs.problem(), host);
    for (const GpuSetup& setup : gpu_setups()) {
      const PlanAnswer answer = plan_on_gpu(round.inputs.problem(), setup);
      ASSERT_EQ(answer.fault, "");
      if (answer.refused) continue;
      const std::string what =
          describe(spec) + " on " + describe(setup) + ", hint " + std::to_string(static_cast<int>(hint));
      cases::CaseResult result(round.inputs, 0, std::uint8_t{0x5A});
      result.add_to(host);
      std::fill(counters.begin(), counters.end(), 0x5A5A5A5A);
      ASSERT_EQ(call.run(answer.plan, host, 0xFF, what), "") << what;
      ASSERT_EQ(cases::compare(round.inputs, round.expected, result), "") << what;
      for (std::int64_t row = 0; row < spec.rows; ++row) {
        const std::int32_t second_reads = counters[static_cast<std::size_t>(2 * row)];
        const std::int32_t compactions = counters[static_cast<std::size_t>(2 * row + 1)];
        ASSERT_TRUE(second_reads == 0 || second_reads == 1) << what << ", row " << row << ": " << second_reads;
        ASSERT_TRUE(compactions >= 0 && compactions < 0x5A5A5A5A) << what << ", row " << row << ": " << compactions;
      }
    }
  }
}

class Hints : public testing::TestWithParam<ScoreType> {};

TEST_P(Hints, NeverChangeTheResult) {
  const std::vector<cases::HintKind> all(std::begin(kHints), std::end(kHints));
  const Stream stream;
  for (const auto& [width, k] : {std::pair<std::int64_t, std::int64_t>{12000, 512}, {70000, 2048}, {3000, 1}}) {
    for (const cases::Pattern pattern :
         {cases::Pattern::kGauss, cases::Pattern::kConstant, cases::Pattern::kRelu, cases::Pattern::kNanMix,
          cases::Pattern::kUlpAscending, cases::Pattern::kAllNan, cases::Pattern::kMostlyNegativeInfinity}) {
      SelectCase spec;
      spec.name = "hint";
      spec.rows = 10;
      spec.width = width;
      spec.k = k;
      spec.score_type = GetParam();
      spec.pattern.kind = pattern;
      spec.length_kind = cases::LengthKind::kExplicit;
      const auto full = static_cast<std::int32_t>(width), slots = static_cast<std::int32_t>(k);
      spec.lengths = {full, full - 1, full / 2, slots, slots + 1, slots - 1, 1, 0, full, full};
      spec.order = pattern == cases::Pattern::kRelu ? SlotOrder::kAny : SlotOrder::kIndex;
      spec.ties = pattern == cases::Pattern::kConstant ? Ties::kLargest : Ties::kSmallest;
      expect_right_with_hints(stream.get(), Round(spec), all);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Hints, testing::Values(ScoreType::kFloat32, ScoreType::kBFloat16, ScoreType::kFloat16),
                         [](const auto& instance) {
                           return "type" + std::to_string(static_cast<int>(instance.param));
                         });

// Counters without a hint, where they are asked for and where not, and outputs asked for one at a time.
TEST(Outputs, AnySubset) {
  const Stream stream;
  for (int subset = 0; subset < 16; ++subset) {
    SelectCase spec;
    spec.name = "subset";
    spec.rows = 7;
    spec.width = 9000;
    spec.k = 300;
    spec.length_kind = cases::LengthKind::kEdges;
    spec.want_values = (subset & 1) != 0;
    spec.want_counts = (subset & 2) != 0;
    spec.want_error_word = (subset & 4) != 0;
    spec.mode = (subset & 8) != 0 ? IndexMode::kDual : IndexMode::kRaw;
    const Round round(spec);
    Tally tally;
    ASSERT_EQ(
        check_on_gpu(stream.get(), round.inputs, round.expected, gpu_setups(), static_cast<std::size_t>(subset), tally),
        "");
  }
}

TEST(Workspace, MayBeginAnywhere) {
  SelectCase spec;
  spec.name = "workspace";
  spec.rows = 3;
  spec.width = 100000;
  spec.k = 2048;
  const Round round(spec);
  const Stream stream;
  int with_workspace = 0;
  for (const GpuSetup& setup : gpu_setups()) {
    const PlanAnswer answer = plan_on_gpu(round.inputs.problem(), setup);
    if (answer.refused) continue;
    with_workspace += answer.plan.workspace_bytes > 0 ? 1 : 0;
    StandingCall call(stream.get(), round, answer.plan);
    for (const std::size_t misalignment : {0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 64, 127}) {
      call.load(round, 0xFF);
      call.call().reserve_workspace(answer.plan.workspace_bytes, misalignment);
      call.call().fill_workspace(kGpuPoisons[misalignment % 3]);
      call.enqueue();
      ASSERT_EQ(call.compare(describe(setup) + ", workspace at " + std::to_string(misalignment)), "");
    }
    // One byte less is refused, and nothing is written.
    if (answer.plan.workspace_bytes == 0) continue;
    call.load(round, 0x00);
    SelectArgs args = call.call().args();
    args.workspace_bytes = answer.plan.workspace_bytes - 1;
    EXPECT_EQ(try_run(answer.plan, args, stream.get()).code(), StatusCode::kInvalidArgument) << describe(setup);
  }
  RecordProperty("setups_with_workspace", with_workspace);
}

// 25 runs with the rows in another order each time: every row gives the same bytes wherever it stands. Both scores
// with ties and without; order ANY is the same set.
TEST(Determinism, SameSlotsOnEveryRunAndInEveryPlace) {
  const Stream stream;
  constexpr std::int64_t kRows = 64;
  for (const cases::Pattern pattern : {cases::Pattern::kRelu, cases::Pattern::kGauss, cases::Pattern::kLowBits}) {
    for (const SlotOrder order : {SlotOrder::kIndex, SlotOrder::kScore, SlotOrder::kAny}) {
      SelectCase spec;
      spec.name = "determinism";
      spec.rows = kRows;
      spec.width = 8320;
      spec.k = 2048;
      spec.order = order;
      spec.pattern.kind = pattern;
      std::vector<std::unique_ptr<Round>> rounds;
      for (std::uint32_t replay = 0; replay < 5; ++replay) {
        rounds.push_back(std::make_unique<Round>(spec));
        cases::CaseInputs& inputs = rounds.back()->inputs;
        for (std::int64_t row = 0; row < kRows; ++row) {
          const auto source = static_cast<std::uint32_t>((row + 37 * replay) % kRows);
          inputs.set_row(row, {pattern, 0, source - static_cast<std::uint32_t>(row)});
        }
        rounds.back()->expected = cases::CaseResult(inputs, 0, 0);
        cases::compute_expected(inputs, rounds.back()->expected);
      }
      for (const GpuSetup& setup : gpu_setups()) {
        const PlanAnswer answer = plan_on_gpu(rounds[0]->inputs.problem(), setup);
        if (answer.refused) continue;
        StandingCall call(stream.get(), *rounds[0], answer.plan);
        const std::size_t replays = setup.split == kAuto ? 25 : 5;
        for (std::size_t replay = 0; replay < replays; ++replay) {
          call.load(*rounds[replay % rounds.size()], kGpuPoisons[replay % 3]);
          call.enqueue();
          ASSERT_EQ(call.compare(describe(setup) + ", run " + std::to_string(replay)), "");
        }
      }
    }
  }
}

// A refused call has enqueued nothing and the next one is right.
TEST(Refusals, LeaveTheDeviceAlone) {
  SelectCase spec;
  spec.name = "refused";
  spec.rows = 4;
  spec.width = 5000;
  spec.k = 100;
  const Round round(spec);
  const Stream stream;
  StandingCall call(stream.get(), round, plan_on_gpu(round.inputs.problem(), {}).plan);
  call.load(round, 0x5A);
  SelectArgs bad = call.call().args();
  bad.indices = nullptr;
  EXPECT_EQ(try_run(call.plan(), bad, stream.get()).code(), StatusCode::kInvalidArgument);
  bad = call.call().args();
  bad.scores = nullptr;
  EXPECT_EQ(try_run(call.plan(), bad, stream.get()).code(), StatusCode::kInvalidArgument);
  bad = call.call().args();
  bad.indices = const_cast<void*>(bad.scores);  // outputs over inputs
  EXPECT_EQ(try_run(call.plan(), bad, stream.get()).code(), StatusCode::kInvalidArgument);
  call.enqueue();
  EXPECT_EQ(call.compare("after refusals"), "");
  for (const std::int32_t threads : {0, 1, 33, 2048, -2}) {
    SelectPlan plan;
    SelectProblem problem = on_gpu(round.inputs.problem(), {});
    problem.threads = threads;
    EXPECT_FALSE(try_make_plan(problem, plan).ok()) << threads << " threads";
  }
  for (const std::int32_t split : {0, -2}) {
    SelectPlan plan;
    EXPECT_FALSE(try_make_plan(on_gpu(round.inputs.problem(), {Route::kSplit, split}), plan).ok()) << "split " << split;
  }
}

}  // namespace
}  // namespace keysieve::test

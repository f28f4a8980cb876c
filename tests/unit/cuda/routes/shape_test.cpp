// Lengths around chunk borders, windows of every alignment, any split, the largest k.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "cases/oracle.hpp"
#include "cuda/routes/route_run.hpp"

namespace keysieve::test {
namespace {

constexpr ScoreType kTypes[] = {ScoreType::kFloat32, ScoreType::kBFloat16, ScoreType::kFloat16};
constexpr SlotOrder kOrders[] = {SlotOrder::kIndex, SlotOrder::kScore, SlotOrder::kAny};

void check_all_routes(const cases::CaseInputs& inputs, std::uint64_t turn, bool with_trivial = false) {
  cases::CaseResult expected(inputs, 0, 0x33);
  cases::compute_expected(inputs, expected);
  const std::vector<HostEngineSetup> setups = setups_of_all_routes(turn);
  for (std::size_t route = with_trivial ? 0 : 1; route < setups.size(); ++route) {
    RouteRun run;
    run.setup = setups[route];
    run.workspace_offset = static_cast<std::int64_t>(turn % 16);
    const RouteOutcome outcome = run_route(inputs, expected, run);
    // Rows that do not fit route tile are taken by the others.
    const bool may_refuse = setups[route].route == Route::kTrivial || inputs.spec().width > 8192;
    ASSERT_TRUE(!outcome.refused || may_refuse) << describe(run.setup);
    ASSERT_EQ(outcome.fault, "");
  }
}

// Every length next to a border, the windows one behind the other in one buffer.
TEST(CudaShapeOnHost, LengthsAroundChunkBorders) {
  std::uint64_t turn = 0;
  for (const std::int64_t border : {128, 256, 384, 512, 768, 1024, 1536, 2048, 2304, 4096}) {
    for (const ScoreType type : kTypes) {
      ++turn;
      if (kSanitized && turn % 2 == 0) continue;
      cases::SelectCase spec;
      spec.name = "border";
      spec.score_type = type;
      spec.pattern = {turn % 2 == 0 ? cases::Pattern::kFewValues : cases::Pattern::kHash, 0,
                      static_cast<std::uint32_t>(turn)};
      spec.width = border + 16;
      spec.k = turn % 3 == 0 ? 1 : turn % 3 == 1 ? 50 : border - 1;
      spec.misalignment = static_cast<std::int64_t>(turn % 8);
      spec.order = kOrders[turn % 3];
      spec.ties = turn % 2 == 0 ? Ties::kSmallest : Ties::kLargest;
      spec.nan_policy = turn % 4 == 0 ? NanPolicy::kHighest : NanPolicy::kLowest;
      spec.length_kind = cases::LengthKind::kExplicit;
      spec.start_kind = cases::StartKind::kExplicit;
      for (std::int64_t n = border - 9; n <= border + 9; n += n == border - 9 || n == border + 1 ? 7 : 1) {
        spec.lengths.push_back(static_cast<std::int32_t>(n));
        spec.starts.push_back(static_cast<std::int32_t>(n % 8));
      }
      spec.rows = static_cast<std::int64_t>(spec.lengths.size());
      check_all_routes(cases::CaseInputs(spec), turn);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(CudaShapeOnHost, WindowsOfEveryAlignment) {
  std::uint64_t turn = 0;
  for (const ScoreType type : kTypes) {
    for (const std::int64_t n : {0, 1, 5, 9, 255, 1200, 2600}) {
      ++turn;
      cases::SelectCase spec;
      spec.name = "alignment";
      spec.score_type = type;
      spec.pattern = {turn % 2 == 0 ? cases::Pattern::kAscending : cases::Pattern::kGauss, 0, 0};
      spec.width = n + 15;
      spec.k = turn % 2 == 0 ? 8 : n / 2 + 1;
      spec.order = kOrders[turn % 3];
      spec.check_nan = turn % 3 == 0;
      spec.mask_neg_inf = turn % 4 == 0;
      spec.length_kind = cases::LengthKind::kExplicit;
      spec.start_kind = cases::StartKind::kExplicit;
      for (std::int32_t start = 0; start < 8; ++start) {
        for (const std::int64_t more : {0, 3, 7}) {
          spec.lengths.push_back(static_cast<std::int32_t>(n + more));
          spec.starts.push_back(start);
        }
      }
      spec.rows = static_cast<std::int64_t>(spec.lengths.size());
      check_all_routes(cases::CaseInputs(spec), turn);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(CudaShapeOnHost, EverySplit) {
  for (std::int32_t split = 1; split <= 16; ++split) {
    cases::SelectCase spec;
    spec.name = "split";
    spec.rows = 3;
    spec.width = 5000 + split;
    spec.k = split % 2 == 0 ? 700 : 60;
    spec.score_type = kTypes[split % 3];
    spec.pattern = {split % 3 == 0 ? cases::Pattern::kConstant : cases::Pattern::kGauss, 0, 0};
    spec.length_kind = cases::LengthKind::kRagged;
    spec.order = kOrders[split / 2 % 3];
    spec.check_nan = split % 4 == 0;
    spec.ties = split % 2 == 0 ? Ties::kLargest : Ties::kSmallest;
    const cases::CaseInputs inputs(spec);
    cases::CaseResult expected(inputs, 0, 0x33);
    cases::compute_expected(inputs, expected);
    for (const Route route : {Route::kTile, Route::kSplit, Route::kWide}) {
      for (std::int32_t threads : {32, 96}) {
        if (route == Route::kTile) threads += (5120 / split / 16 + 31) / 32 * 32;  // they hold the row
        for (const std::int32_t spare : {-1, 3}) {  // more candidates than the first block holds, too
          RouteRun run;
          run.setup = {route, threads, split, "h200", static_cast<std::uint64_t>(split + threads)};
          run.spare_candidates = spare;
          if (spare >= 0) run.sample_vectors = 0;
          run.workspace_offset = split - 1;
          const RouteOutcome outcome = run_route(inputs, expected, run);
          ASSERT_FALSE(outcome.refused);
          ASSERT_EQ(outcome.fault, "");
        }
      }
    }
  }
}

// Rows that one CTA of a cluster holds, beside others, in a buffer for all of them: the length decides, row by row.
TEST(CudaShapeOnHost, ShortRowsInAWideBuffer) {
  for (std::uint64_t turn = 0; turn < 12; ++turn) {
    cases::SelectCase spec;
    spec.name = "short in wide";
    spec.width = 6000;
    spec.k = turn % 3 == 0 ? 20 : 300;
    spec.score_type = kTypes[turn % 3];
    spec.pattern = {turn % 4 == 0 ? cases::Pattern::kRelu : cases::Pattern::kNanMix, 0, 0};
    spec.length_kind = cases::LengthKind::kExplicit;
    spec.lengths = {0, 19, 301, 511, 512, 513, 1024, 1025, 6000};
    spec.rows = static_cast<std::int64_t>(spec.lengths.size());
    spec.order = kOrders[turn / 3 % 3];
    spec.ties = turn % 2 == 0 ? Ties::kLargest : Ties::kSmallest;
    spec.nan_policy = turn % 4 == 1 ? NanPolicy::kHighest : NanPolicy::kLowest;
    spec.mask_neg_inf = turn % 4 == 3;
    spec.check_nan = turn % 2 == 1;
    const cases::CaseInputs inputs(spec);
    cases::CaseResult expected(inputs, 0, 0x33);
    cases::compute_expected(inputs, expected);
    for (const Route route : {Route::kTile, Route::kSplit}) {
      for (const std::int32_t threads : {32, 64}) {
        RouteRun run;
        run.setup = {route, threads, threads == 32 ? 16 : 6, "h200", turn};
        const RouteOutcome outcome = run_route(inputs, expected, run);
        ASSERT_FALSE(outcome.refused);
        ASSERT_EQ(outcome.fault, "");
      }
    }
  }
}

// More parts than chunks: some have nothing to read.
TEST(CudaShapeOnHost, WideWithManyParts) {
  for (const std::int32_t split : {17, 40, 132}) {
    cases::SelectCase spec;
    spec.name = "wide";
    spec.rows = 2;
    spec.width = 3001;
    spec.k = 90;
    spec.pattern = {cases::Pattern::kNanMix, 0, 0};
    spec.check_nan = true;
    RouteRun run;
    run.setup = {Route::kWide, 32, split, "h200", 5};
    const RouteOutcome outcome = run_route(cases::CaseInputs(spec), run);
    ASSERT_FALSE(outcome.refused);
    ASSERT_EQ(outcome.fault, "");
  }
}

TEST(CudaShapeOnHost, LargestK) {
  std::uint64_t turn = 0;
  for (const ScoreType type : kTypes) {
    for (const SlotOrder order : kOrders) {
      ++turn;
      if (kSanitized && turn % 4 != 0) continue;
      cases::SelectCase spec;
      spec.name = "largest k";
      spec.width = turn % 2 == 0 ? 20000 : 8200;
      spec.k = 8192;
      spec.score_type = type;
      spec.order = order;
      spec.pattern = {turn % 3 == 0 ? cases::Pattern::kRelu : cases::Pattern::kGauss, 0, 0};
      check_all_routes(cases::CaseInputs(spec), turn);
      if (HasFatalFailure()) return;
    }
  }
}

// Rows no longer than k, where no score needs to be read, and where one does.
TEST(CudaShapeOnHost, ShortRows) {
  for (std::uint64_t turn = 0; turn < 18; ++turn) {
    cases::SelectCase spec;
    spec.name = "short";
    spec.rows = 9;
    spec.width = 300;
    spec.k = turn % 2 == 0 ? 300 : 310;
    spec.score_type = kTypes[turn % 3];
    spec.pattern = {turn % 2 == 0 ? cases::Pattern::kInfinityMix : cases::Pattern::kNanMix, 0, 0};
    spec.length_kind = cases::LengthKind::kEdges;
    spec.order = kOrders[turn / 3 % 3];
    spec.mask_neg_inf = turn % 4 == 3;
    spec.check_nan = turn % 2 == 1;
    check_all_routes(cases::CaseInputs(spec), turn, true);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace keysieve::test

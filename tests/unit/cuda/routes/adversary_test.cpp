// Rows built against the engine: against its sample, and against the order in which it reads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "cases/oracle.hpp"
#include "cuda/block/limits.hpp"
#include "cuda/routes/route_run.hpp"
#include "plan/planner.hpp"

namespace keysieve::test {
namespace {

struct Shape {
  ScoreType type;
  std::int64_t width;
  std::int64_t k;
  std::int64_t misalignment;
};

std::vector<Shape> shapes() {
  return {{ScoreType::kFloat32, 20000, 256, 1},
          {ScoreType::kBFloat16, 16384, 512, 0},
          {ScoreType::kFloat16, 30001, 100, 5},
          {ScoreType::kFloat32, 9000, 1000, 2}};
}

cases::SelectCase spec_of(const Shape& shape, std::uint64_t turn) {
  cases::SelectCase spec;
  spec.name = "adversary";
  spec.width = shape.width;
  spec.k = shape.k;
  spec.misalignment = shape.misalignment;
  spec.score_type = shape.type;
  spec.order = turn % 2 == 0 ? SlotOrder::kIndex : SlotOrder::kAny;
  spec.ties = turn % 3 == 0 ? Ties::kLargest : Ties::kSmallest;
  return spec;
}

using Check = std::function<void(const RouteOutcome&, const Shape&)>;
using Prepare = std::function<void(cases::SelectCase& spec)>;
using Fill = std::function<void(cases::CaseInputs& inputs)>;

// Runs the row on every route that samples, all but trivial and tile; `check` sees what it cost.
void attack(const Prepare& prepare, const Fill& fill, const Check& check) {
  std::uint64_t turn = 0;
  for (const Shape& shape : shapes()) {
    for (std::uint64_t route = 2; route <= 4; ++route) {
      ++turn;
      if (kSanitized && turn % 3 != 0) continue;
      RouteRun run;
      run.setup = setups_of_all_routes(turn)[route];
      cases::SelectCase spec = spec_of(shape, turn);
      SelectPlan plan;
      const cases::CaseInputs plain(spec);
      ASSERT_TRUE(make_plan_for_profile(problem_for(plain, run.setup), run.setup.profile, plan).ok());
      ASSERT_GT(plan.sample_vectors, 0);
      spec.attack_samples = plan.sample_vectors;
      prepare(spec);
      cases::CaseInputs inputs(spec);
      fill(inputs);
      const RouteOutcome outcome = run_route(inputs, run);
      ASSERT_EQ(outcome.fault, "");
      SCOPED_TRACE(describe(run.setup) + ", width " + std::to_string(shape.width));
      check(outcome, shape);
    }
  }
}

// The attacks of the shared cases.
void attack(cases::AttackKind kind, const Check& check) {
  attack([kind](cases::SelectCase& spec) { spec.attack = kind; }, [](cases::CaseInputs&) {}, check);
}

// How often a buffer may be reduced on a row in which every column passes in the worst order: each time `room`
// columns were taken.
std::int64_t most_compactions(const RouteOutcome& outcome, const Shape& shape) {
  const std::int64_t blocks = outcome.plan.chunks_per_row;
  const std::int64_t spare = outcome.plan.threads / kWarpThreads * kChunkColumns;
  const std::int64_t room = std::max<std::int64_t>(outcome.plan.candidate_capacity - spare - shape.k, 256);
  return shape.width / room + 2 * blocks + 2;
}

void expect_one_read(const RouteOutcome& outcome, const Shape& shape) {
  EXPECT_EQ(outcome.rows[0].second_reads, 0);
  EXPECT_LE(outcome.rows[0].compactions, most_compactions(outcome, shape));
}

// High where the sample looks, low elsewhere: the cutoff keeps nearly everything out, and one more read mends it.
TEST(CudaAdversaryOnHost, PeaksOnlyWhereTheSampleLooks) {
  attack(cases::AttackKind::kPeaksSeen, [](const RouteOutcome& outcome, const Shape& shape) {
    EXPECT_LE(outcome.rows[0].second_reads, 1);
    EXPECT_LE(outcome.rows[0].compactions, most_compactions(outcome, shape));
  });
}

// One peak in each sampled vector: fewer lie above any cutoff that the sample can draw than there are slots.
TEST(CudaAdversaryOnHost, TooFewPeaksNeedASecondRead) {
  const Check one_more = [](const RouteOutcome& outcome, const Shape&) { EXPECT_EQ(outcome.rows[0].second_reads, 1); };
  attack(cases::AttackKind::kOnePeakPerVector, one_more);
  if (HasFatalFailure()) return;
  // The same with peaks of one height.
  attack([](cases::SelectCase& spec) { spec.attack = cases::AttackKind::kOnePeakPerVector; },
         [](cases::CaseInputs& inputs) {
           const ScoreType type = inputs.spec().score_type;
           const std::int64_t zero = cases::score_rank(type, NanPolicy::kLowest, 0);
           for (std::int64_t i = 0; i < inputs.spec().width; ++i) {
             const std::int64_t rank = cases::score_rank(type, NanPolicy::kLowest, inputs.score(0, i));
             if (rank > zero) inputs.set_score(0, i, 100.0);
           }
         },
         one_more);
}

// Low where the sample looks: the cutoff lets everything else in.
TEST(CudaAdversaryOnHost, LowWhereTheSampleLooksAndAscendingElsewhere) {
  attack(cases::AttackKind::kLowSeenAscending, expect_one_read);
}

TEST(CudaAdversaryOnHost, LowWhereTheSampleLooksAndDescendingElsewhere) {
  attack(cases::AttackKind::kLowSeenDescending, expect_one_read);
}

// One plateau outside the sample, and NaN or -inf inside it.
TEST(CudaAdversaryOnHost, NanWhereTheSampleLooksAndAPlateauElsewhere) {
  attack(cases::AttackKind::kNanSeen, expect_one_read);
}

TEST(CudaAdversaryOnHost, PeaksWhereTheSampleDoesNotLook) {
  attack(cases::AttackKind::kPeaksHidden,
         [](const RouteOutcome& outcome, const Shape&) { EXPECT_LE(outcome.rows[0].second_reads, 1); });
}

// Attacks on the cutoff and on ties rather than on the sample.
TEST(CudaAdversaryOnHost, FloodsAndNeighboursOfTheCutoff) {
  for (const cases::AttackKind kind :
       {cases::AttackKind::kUlpsAtCutoff, cases::AttackKind::kOneException, cases::AttackKind::kNanFlood,
        cases::AttackKind::kInfinityFlood, cases::AttackKind::kZeroFlood}) {
    attack(kind, [](const RouteOutcome& outcome, const Shape&) { EXPECT_LE(outcome.rows[0].second_reads, 1); });
    if (HasFatalFailure()) return;
  }
}

// The pattern that the sample's strata repeat with.
TEST(CudaAdversaryOnHost, PeriodicRows) {
  for (const std::int64_t period : {39, 40, 64, 128, 256, 512}) {
    attack([](cases::SelectCase&) {},
           [period](cases::CaseInputs& inputs) {
             for (std::int64_t i = 0; i < inputs.spec().width; ++i) {
               inputs.set_score(0, i, static_cast<double>(i % period));
             }
           },
           [](const RouteOutcome& outcome, const Shape&) { EXPECT_EQ(outcome.rows[0].second_reads, 0); });
    if (HasFatalFailure()) return;
  }
}

// Without a sample, too, an ascending row costs what a shuffled one does: about k (1 + ln(n / k)) columns pass.
TEST(CudaAdversaryOnHost, AscendingRowsWithoutASample) {
  for (const bool shuffled : {false, true}) {
    for (std::size_t route = 2; route <= 4; ++route) {
      cases::SelectCase spec;
      spec.name = "ascending";
      spec.width = 60000;
      spec.k = 512;
      spec.pattern.kind = shuffled ? cases::Pattern::kUlpShuffled : cases::Pattern::kUlpAscending;
      RouteRun run;
      run.setup = setups_of_all_routes(4)[route];
      run.sample_vectors = 0;
      const RouteOutcome outcome = run_route(cases::CaseInputs(spec), run);
      ASSERT_EQ(outcome.fault, "");
      const auto blocks = static_cast<double>(outcome.plan.chunks_per_row);
      const double passing = 512 * (1 + std::log(60000 / blocks / 512));
      const auto spare = static_cast<double>(outcome.plan.threads / kWarpThreads * kChunkColumns);
      const double room = outcome.plan.candidate_capacity - spare - 512;
      EXPECT_LE(outcome.rows[0].compactions, blocks * (1.5 * passing / room + 1) + 1);
    }
  }
}

}  // namespace
}  // namespace keysieve::test

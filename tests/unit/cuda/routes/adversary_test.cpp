// Rows built against the engine: against its sample, and against the order in which it reads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "cuda/block/limits.hpp"
#include "cuda/block/sample_positions.hpp"
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

enum class Seen { kNot, kFirst, kOther };  // kFirst: one column of each sampled vector

// Where the sample of a plan looks in the one row.
std::vector<Seen> sampled_columns(const cases::CaseInputs& inputs, std::int32_t samples) {
  const std::int64_t columns = 16 / size_bytes(inputs.spec().score_type);
  const std::int64_t lead = lead_of(inputs, 0);
  const std::int64_t width = inputs.spec().width;
  const auto num_vectors = static_cast<std::int32_t>((width + lead + columns - 1) / columns);
  int log2_samples = 0;
  while ((1 << log2_samples) < samples) ++log2_samples;
  std::vector<Seen> seen(static_cast<std::size_t>(width));
  for (std::int32_t sample = 0; sample < samples; ++sample) {
    const std::int64_t vector_begin = sample_vector(sample, num_vectors, log2_samples) * columns - lead;
    const std::int64_t begin = std::max<std::int64_t>(vector_begin, 0);
    for (std::int64_t i = begin; i < std::min(vector_begin + columns, width); ++i) {
      seen[static_cast<std::size_t>(i)] = i == begin ? Seen::kFirst : Seen::kOther;
    }
  }
  return seen;
}

using Score = std::function<double(std::int64_t column, Seen seen)>;

// Runs the row on every route that samples; `check` sees what it cost.
void attack(const Score& score, const std::function<void(const RouteOutcome&, const Shape&)>& check) {
  std::uint64_t turn = 0;
  for (const Shape& shape : shapes()) {
    for (std::uint64_t route = 1; route <= 4; ++route) {
      ++turn;
      if (kSanitized && turn % 3 != 0) continue;
      RouteRun run;
      run.setup = setups_of_all_routes(turn)[route];
      cases::CaseInputs inputs(spec_of(shape, turn));
      SelectPlan plan;
      ASSERT_TRUE(make_plan_for_profile(problem_for(inputs, run.setup), run.setup.profile, plan).ok());
      ASSERT_GT(plan.sample_vectors, 0);
      const std::vector<Seen> seen = sampled_columns(inputs, plan.sample_vectors);
      for (std::int64_t i = 0; i < shape.width; ++i) {
        inputs.set_score(0, i, score(i, seen[static_cast<std::size_t>(i)]));
      }
      const RouteOutcome outcome = run_route(inputs, run);
      ASSERT_EQ(outcome.fault, "");
      SCOPED_TRACE(describe(run.setup) + ", width " + std::to_string(shape.width));
      check(outcome, shape);
    }
  }
}

// How often a buffer may be reduced on a row in which every column passes in the worst order: each time `room`
// columns were taken.
std::int64_t most_compactions(const RouteOutcome& outcome, const Shape& shape) {
  const std::int64_t blocks = outcome.plan.chunks_per_row;
  const std::int64_t spare = outcome.plan.threads / kWarpThreads * kChunkColumns;
  const std::int64_t room = std::max<std::int64_t>(outcome.plan.candidate_capacity - spare - shape.k, 256);
  return shape.width / room + 2 * blocks + 2;
}

// High where the sample looks, low elsewhere: the cutoff keeps nearly everything out, and one more read mends it.
TEST(CudaAdversaryOnHost, PeaksOnlyWhereTheSampleLooks) {
  attack(
      [](std::int64_t i, Seen seen) {
        return seen != Seen::kNot ? 100.0 + static_cast<double>(i % 7) : -static_cast<double>(i % 1000);
      },
      [](const RouteOutcome& outcome, const Shape& shape) {
        EXPECT_LE(outcome.rows[0].second_reads, 1);
        EXPECT_LE(outcome.rows[0].compactions, most_compactions(outcome, shape));
      });
}

// One peak in each sampled vector: fewer lie above any cutoff that the sample can draw than there are slots.
TEST(CudaAdversaryOnHost, TooFewPeaksNeedASecondRead) {
  for (const double step : {0.0, 1.0 / 64}) {
    attack(
        [step](std::int64_t i, Seen seen) {
          return seen == Seen::kFirst ? 100.0 + static_cast<double>(i) * step : -static_cast<double>(i % 3000);
        },
        [](const RouteOutcome& outcome, const Shape&) { EXPECT_EQ(outcome.rows[0].second_reads, 1); });
    if (HasFatalFailure()) return;
  }
}

// Low where the sample looks: the cutoff lets everything else in.
TEST(CudaAdversaryOnHost, LowWhereTheSampleLooksAndAscendingElsewhere) {
  attack([](std::int64_t i, Seen seen) { return seen != Seen::kNot ? -1000.0 : static_cast<double>(i) / 64.0; },
         [](const RouteOutcome& outcome, const Shape& shape) {
           EXPECT_EQ(outcome.rows[0].second_reads, 0);
           EXPECT_LE(outcome.rows[0].compactions, most_compactions(outcome, shape));
         });
}

TEST(CudaAdversaryOnHost, LowWhereTheSampleLooksAndDescendingElsewhere) {
  attack([](std::int64_t i, Seen seen) { return seen != Seen::kNot ? -1000.0 : 30000.0 - static_cast<double>(i); },
         [](const RouteOutcome& outcome, const Shape& shape) {
           EXPECT_EQ(outcome.rows[0].second_reads, 0);
           EXPECT_LE(outcome.rows[0].compactions, most_compactions(outcome, shape));
         });
}

// One plateau outside the sample, and NaN or -inf inside it.
TEST(CudaAdversaryOnHost, NanWhereTheSampleLooksAndAPlateauElsewhere) {
  attack([](std::int64_t i, Seen seen) { return seen != Seen::kNot ? (i % 2 == 0 ? std::nan("") : -INFINITY) : 1.0; },
         [](const RouteOutcome& outcome, const Shape& shape) {
           EXPECT_EQ(outcome.rows[0].second_reads, 0);
           EXPECT_LE(outcome.rows[0].compactions, most_compactions(outcome, shape));
         });
}

TEST(CudaAdversaryOnHost, PeaksWhereTheSampleDoesNotLook) {
  attack([](std::int64_t i,
            Seen seen) { return seen != Seen::kNot ? static_cast<double>(i % 50) : (i % 97 == 0 ? 1000.0 : 0.0); },
         [](const RouteOutcome& outcome, const Shape&) { EXPECT_LE(outcome.rows[0].second_reads, 1); });
}

// The pattern that the sample's strata repeat with.
TEST(CudaAdversaryOnHost, PeriodicRows) {
  for (const std::int64_t period : {39, 40, 64, 128, 256, 512}) {
    attack([period](std::int64_t i, Seen) { return static_cast<double>(i % period); },
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

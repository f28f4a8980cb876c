// Candidate buffers with next to no room: reduced over and over, and never wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "cases/case_table.hpp"
#include "cases/oracle.hpp"
#include "cuda/routes/route_run.hpp"

namespace keysieve::test {
namespace {

cases::SelectCase spec_of(cases::Pattern pattern, std::uint64_t turn) {
  constexpr ScoreType kTypes[] = {ScoreType::kFloat32, ScoreType::kBFloat16, ScoreType::kFloat16};
  constexpr SlotOrder kOrders[] = {SlotOrder::kIndex, SlotOrder::kScore, SlotOrder::kAny};
  cases::SelectCase spec;
  spec.name = "capacity";
  spec.rows = 2;
  spec.width = 6000 + static_cast<std::int64_t>(turn % 300);
  spec.k = turn % 3 == 0 ? 1 : turn % 3 == 1 ? 200 : 1000;
  spec.row_padding = 1;
  spec.misalignment = static_cast<std::int64_t>(turn % 8);
  spec.pattern = {pattern, 30, 3};
  spec.score_type = kTypes[turn % 3];
  spec.order = kOrders[turn / 3 % 3];
  spec.ties = turn % 2 == 0 ? Ties::kSmallest : Ties::kLargest;
  spec.nan_policy = turn % 5 == 0 ? NanPolicy::kHighest : NanPolicy::kLowest;
  spec.mask_neg_inf = turn % 7 == 0;
  spec.check_nan = turn % 4 == 0;
  return spec;
}

// Without a sample every column passes at first, so that the buffers must be reduced.
void check_patterns(std::int32_t spare, std::int32_t sample_vectors) {
  std::uint64_t turn = static_cast<std::uint64_t>(spare);
  std::int64_t compactions = 0;
  for (const cases::Pattern pattern : cases::kAllPatterns) {
    ++turn;
    if (kSanitized && turn % 3 != 0) continue;
    const cases::CaseInputs inputs(spec_of(pattern, turn));
    cases::CaseResult expected(inputs, 0, 0x33);
    cases::compute_expected(inputs, expected);
    for (std::size_t route = 1; route <= 4; ++route) {
      RouteRun run;
      run.setup = setups_of_all_routes(turn)[route];
      run.spare_candidates = spare;
      run.sample_vectors = sample_vectors;
      const RouteOutcome outcome = run_route(inputs, expected, run);
      ASSERT_FALSE(outcome.refused);
      ASSERT_EQ(outcome.fault, "");
      for (const RowCount& row : outcome.rows) {
        compactions += row.compactions;
        if (sample_vectors == 0) {
          EXPECT_EQ(row.second_reads, 0);
        }
      }
    }
  }
  if (sample_vectors == 0) {
    EXPECT_GT(compactions, 40);
  }
}

TEST(CudaCapacityOnHost, NoSpareRoomWithoutSample) { check_patterns(0, 0); }
TEST(CudaCapacityOnHost, OneSpareCandidateWithoutSample) { check_patterns(1, 0); }
TEST(CudaCapacityOnHost, LittleRoomWithoutSample) { check_patterns(37, 0); }
TEST(CudaCapacityOnHost, NoSpareRoomWithSample) { check_patterns(0, kAuto); }
TEST(CudaCapacityOnHost, RoomForAChunkWithSample) { check_patterns(256, kAuto); }

// A hint a little too high leaves the buffer nearly k full when the row is read again. The edges of the row come first,
// without a look at the room that is left, and one warp takes both.
TEST(CudaCapacityOnHost, SecondReadIntoAFullBuffer) {
  for (std::uint64_t turn = 0; turn < 24; ++turn) {
    cases::SelectCase spec = spec_of(cases::Pattern::kDescending, turn);
    spec.score_type = ScoreType::kFloat32;
    spec.rows = 1;
    spec.mask_neg_inf = false;
    spec.nan_policy = NanPolicy::kLowest;
    spec.k = turn % 3 == 0 ? 60 : spec.k;
    cases::CaseInputs inputs(spec);
    for (std::int64_t i = 0; i < spec.width; ++i) inputs.set_score(0, i, -std::abs(static_cast<double>(i - 3000)));
    // Twice as many columns lie above it, and one more; nearly k after the margin of the hint.
    const auto hint = static_cast<float>(-static_cast<double>(spec.k) * 0.46);
    for (std::size_t route = 2; route <= 4; ++route) {
      RouteRun run;
      run.setup = setups_of_all_routes(turn)[route];
      run.setup.threads = turn % 2 == 0 ? 32 : 64;
      run.spare_candidates = static_cast<std::int32_t>(turn % 3);
      run.hint = &hint;
      const RouteOutcome outcome = run_route(inputs, run);
      ASSERT_FALSE(outcome.refused);
      ASSERT_EQ(outcome.fault, "");
      EXPECT_EQ(outcome.rows[0].second_reads, 1);
    }
  }
}

TEST(CudaCapacityOnHost, AnyCaseInALittleBuffer) {
  for (std::uint64_t seed = 0; seed < (kSanitized ? 30u : 200u); ++seed) {
    const cases::CaseInputs inputs(cases::random_case(seed + 90000));
    cases::CaseResult expected(inputs, 0, 0x33);
    cases::compute_expected(inputs, expected);
    RouteRun run;
    run.setup = setups_of_all_routes(seed)[1 + seed % 4];
    run.spare_candidates = static_cast<std::int32_t>(seed % 5);
    if (seed % 3 != 0) run.sample_vectors = 0;
    ASSERT_EQ(run_route(inputs, expected, run).fault, "") << "seed " << seed + 90000;
  }
}

}  // namespace
}  // namespace keysieve::test

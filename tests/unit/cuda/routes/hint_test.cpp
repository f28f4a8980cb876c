// A hint changes what a row costs and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "cases/oracle.hpp"
#include "cases/windows.hpp"
#include "cuda/routes/route_run.hpp"

namespace keysieve::test {
namespace {

constexpr std::int64_t kRows = 3;

cases::SelectCase spec_of(ScoreType type, cases::Pattern pattern, std::size_t turn) {
  constexpr SlotOrder kOrders[] = {SlotOrder::kIndex, SlotOrder::kScore, SlotOrder::kAny};
  cases::SelectCase spec;
  spec.name = "hint";
  spec.rows = kRows;
  spec.width = 4100;
  spec.k = turn % 4 == 0 ? 300 : 37;
  spec.row_padding = 3;
  spec.misalignment = static_cast<std::int64_t>(turn % 5);
  spec.pattern = {pattern, 20, 7};
  spec.score_type = type;
  spec.length_kind = cases::LengthKind::kRagged;
  spec.order = kOrders[turn % 3];
  spec.ties = turn % 2 == 0 ? Ties::kSmallest : Ties::kLargest;
  spec.nan_policy = turn % 5 == 0 ? NanPolicy::kHighest : NanPolicy::kLowest;
  spec.mask_neg_inf = turn % 4 == 3;
  spec.check_nan = turn % 6 == 5;
  return spec;
}

// Bits of the k-th score of a row: the lowest of the selected ones.
std::uint32_t kth_score(const cases::CaseInputs& inputs, std::int64_t row) {
  const cases::SelectCase& spec = inputs.spec();
  std::uint32_t lowest = 0;
  std::int64_t lowest_rank = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t position : cases::expected_positions(inputs, row)) {
    const std::uint32_t bits = inputs.score(row, cases::window_of(inputs, row).start + position);
    const std::int64_t rank = cases::score_rank(spec.score_type, spec.nan_policy, bits);
    if (rank < lowest_rank) {
      lowest_rank = rank;
      lowest = bits;
    }
  }
  return lowest;
}

using MakeHint = std::function<std::uint32_t(std::int64_t row)>;

std::vector<unsigned char> hints_of(ScoreType type, const MakeHint& make) {
  std::vector<unsigned char> memory(static_cast<std::size_t>(kRows * size_bytes(type)));
  for (std::int64_t row = 0; row < kRows; ++row) cases::store_bits(type, memory.data(), row, make(row));
  return memory;
}

void check_hints(ScoreType type, cases::Pattern pattern, std::size_t turn) {
  const cases::CaseInputs inputs(spec_of(type, pattern, turn));
  cases::CaseResult expected(inputs, 0, 0x33);
  cases::compute_expected(inputs, expected);
  const auto value = [type](double number) { return cases::bits_of_type(type, number); };
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<const char*, MakeHint>> hints = {
      {"exact", [&](std::int64_t row) { return kth_score(inputs, row); }},
      {"a step above", [&](std::int64_t row) { return kth_score(inputs, row) + 1; }},
      {"a step below", [&](std::int64_t row) { return kth_score(inputs, row) - 1; }},
      {"an octave above",
       [&](std::int64_t row) {
         return kth_score(inputs, row) + (type == ScoreType::kFloat32    ? 1u << 23
                                          : type == ScoreType::kBFloat16 ? 1u << 7
                                                                         : 1u << 10);
       }},
      {"far above", [&](std::int64_t) { return value(30000.0); }},
      {"+inf", [&](std::int64_t) { return value(infinity); }},
      {"-inf", [&](std::int64_t) { return value(-infinity); }},
      {"lowest", [&](std::int64_t) { return value(-infinity) - 1; }},
      {"NaN", [&](std::int64_t row) { return value(std::numeric_limits<double>::quiet_NaN()) | (row == 1 ? 1u : 0u); }},
      {"zero", [&](std::int64_t row) { return value(row == 1 ? -0.0 : 0.0); }},
      {"of the next row", [&](std::int64_t row) { return kth_score(inputs, (row + 1) % kRows); }}};
  for (std::size_t i = 0; i < hints.size(); ++i) {
    const std::vector<unsigned char> memory = hints_of(type, hints[i].second);
    const HostEngineSetup setup = setups_of_all_routes(turn + i)[1 + (turn + i) % 4];
    RouteRun run;
    run.setup = setup;
    run.hint = memory.data();
    const RouteOutcome outcome = run_route(inputs, expected, run);
    ASSERT_FALSE(outcome.refused);
    ASSERT_EQ(outcome.fault, "") << "hint: " << hints[i].first;
    // Below the k-th score there is nothing to read again for, unless masked scores leave slots empty.
    if (!inputs.spec().mask_neg_inf && (i == 0 || i == 6 || i == 7)) {
      for (const RowCount& row : outcome.rows)
        EXPECT_EQ(row.second_reads, 0) << hints[i].first << ", " << cases::describe(inputs.spec());
    }
  }
}

void check_all_patterns(ScoreType type) {
  std::size_t turn = static_cast<std::size_t>(type);
  for (const cases::Pattern pattern : cases::kAllPatterns) {
    ++turn;
    if (kSanitized && turn % 4 != 0) continue;
    check_hints(type, pattern, turn);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(CudaHintOnHost, AnyHintFloat32) { check_all_patterns(ScoreType::kFloat32); }
TEST(CudaHintOnHost, AnyHintBFloat16) { check_all_patterns(ScoreType::kBFloat16); }
TEST(CudaHintOnHost, AnyHintFloat16) { check_all_patterns(ScoreType::kFloat16); }

// What the counters must say where it can be said: on N(0,1), by route.
TEST(CudaHintOnHost, CountersTellASecondRead) {
  cases::SelectCase spec = spec_of(ScoreType::kFloat32, cases::Pattern::kGauss, 0);
  spec.mask_neg_inf = false;
  const cases::CaseInputs inputs(spec);
  const std::vector<unsigned char> high = hints_of(spec.score_type, [](std::int64_t) { return 0x43000000u; });
  const std::vector<unsigned char> exact =
      hints_of(spec.score_type, [&](std::int64_t row) { return kth_score(inputs, row); });
  for (std::uint64_t turn = 0; turn < 8; ++turn) {
    for (HostEngineSetup setup : setups_of_all_routes(turn)) {
      if (setup.route == Route::kTrivial || setup.route == Route::kTile) continue;  // they need no hint
      setup.threads = std::min(setup.threads, 128);  // rows too long for one CTA's registers
      RouteRun run;
      run.setup = setup;
      run.hint = high.data();
      RouteOutcome outcome = run_route(inputs, run);
      ASSERT_EQ(outcome.fault, "");
      for (const RowCount& row : outcome.rows) EXPECT_EQ(row.second_reads, 1) << describe(setup);
      run.hint = exact.data();
      outcome = run_route(inputs, run);
      ASSERT_EQ(outcome.fault, "");
      for (const RowCount& row : outcome.rows) {
        EXPECT_EQ(row.second_reads, 0) << describe(setup);
        // Route wide hands over at most k candidates a part.
        if (setup.route != Route::kWide) {
          EXPECT_EQ(row.compactions, 0) << describe(setup);
        }
      }
      run.hint = nullptr;
      outcome = run_route(inputs, run);
      ASSERT_EQ(outcome.fault, "");
      for (const RowCount& row : outcome.rows) EXPECT_EQ(row.second_reads, 0) << describe(setup);
    }
  }
}

}  // namespace
}  // namespace keysieve::test

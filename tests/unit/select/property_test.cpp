// Random problems: any combination of options, and rows of awkward bits that shrink to a small failing row.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "cases/case_table.hpp"
#include "select/routes.hpp"

namespace keysieve::test {
namespace {

// Fixed seeds: the same problems on every machine and every run.
TEST(SelectProperty, FixedSeedsEqualTheReference) {
  const std::uint64_t last = kSanitized ? 150 : 1000;
  const std::vector<RunSetup> setups = {{Backend::kCpu, Route::kCpuRows, 1},
                                        {Backend::kCpu, Route::kCpuRows, 3},
                                        {Backend::kCpu, Route::kCpuChunks, 2},
                                        {Backend::kCpu, Route::kCpuChunks, 7},
                                        {Backend::kCpu, Route::kAuto, kAuto}};
  for (std::uint64_t seed = 0; seed < last; ++seed) {
    ASSERT_EQ(check_case(cases::CaseInputs(cases::random_case(seed)), setups, seed), "") << "seed " << seed;
  }
}

// New seeds on every run; a failure prints the RC_PARAMS that repeat it.
TEST(SelectProperty, RandomCasesEqualTheReference) {
  EXPECT_TRUE(rc::check("cpu == reference on any case", [] {
    const auto seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
    const cases::CaseInputs inputs(cases::random_case(seed + 1'000'000));
    const std::string fault =
        check_case(inputs, {{Backend::kCpu, Route::kCpuRows, 2}, {Backend::kCpu, Route::kCpuChunks, 3}});
    if (!fault.empty()) RC_FAIL(fault);
  }));
}

// Scores drawn from the bits where orders go wrong, and from anywhere.
rc::Gen<std::uint32_t> awkward_bits() {
  return rc::gen::weightedOneOf<std::uint32_t>(
      {{3, rc::gen::element<std::uint32_t>(0x00000000u, 0x80000000u, 0x00000001u, 0x80000001u, 0x007FFFFFu, 0x00800000u,
                                           0x3F800000u, 0x3F800001u, 0xBF800000u, 0x7F7FFFFFu, 0xFF7FFFFFu, 0x7F800000u,
                                           0xFF800000u, 0x7F800001u, 0xFF800001u, 0x7FC00000u, 0xFFC00000u, 0x7FFFFFFFu,
                                           0xFFFFFFFFu)},
       {1, rc::gen::arbitrary<std::uint32_t>()}});
}

TEST(SelectProperty, AwkwardRowsEqualTheReference) {
  EXPECT_TRUE(rc::check("cpu == reference on rows of awkward bits", [] {
    const auto row = *rc::gen::container<std::vector<std::uint32_t>>(awkward_bits());
    cases::SelectCase spec;
    spec.name = "awkward row";
    spec.width = static_cast<std::int64_t>(row.size());
    spec.k = *rc::gen::inRange<std::int64_t>(1, spec.width + 3);
    spec.score_type = *rc::gen::element(ScoreType::kFloat32, ScoreType::kBFloat16, ScoreType::kFloat16);
    spec.order = *rc::gen::element(SlotOrder::kIndex, SlotOrder::kScore, SlotOrder::kAny);
    spec.ties = *rc::gen::element(Ties::kSmallest, Ties::kLargest, Ties::kAny);
    spec.nan_policy = *rc::gen::element(NanPolicy::kLowest, NanPolicy::kHighest);
    spec.mask_neg_inf = *rc::gen::arbitrary<bool>();
    spec.check_nan = *rc::gen::arbitrary<bool>();
    cases::CaseInputs inputs(spec);
    for (std::int64_t column = 0; column < spec.width; ++column) {
      const std::uint32_t bits = row[static_cast<std::size_t>(column)];
      inputs.set_score(0, column, spec.score_type == ScoreType::kFloat32 ? bits : bits >> 16);
    }
    const std::string fault =
        check_case(inputs, {{Backend::kCpu, Route::kCpuRows, 1}, {Backend::kCpu, Route::kCpuChunks, 3}});
    if (!fault.empty()) RC_FAIL(fault);
  }));
}

// Lengths and starts of any value, window by window.
TEST(SelectProperty, AnyWindowEqualsTheReference) {
  EXPECT_TRUE(rc::check("cpu == reference on any windows", [] {
    cases::SelectCase spec;
    spec.name = "any window";
    spec.width = *rc::gen::inRange<std::int64_t>(0, 80);
    spec.rows = *rc::gen::inRange<std::int64_t>(0, 6);
    spec.k = *rc::gen::inRange<std::int64_t>(1, 20);
    const auto count = static_cast<std::size_t>(spec.rows);
    const auto near = rc::gen::inRange<std::int32_t>(-3, 90);
    const auto any = rc::gen::arbitrary<std::int32_t>();
    const auto mixed = rc::gen::weightedOneOf<std::int32_t>({{4, near}, {1, any}});
    spec.length_kind = cases::LengthKind::kExplicit;
    spec.lengths = *rc::gen::container<std::vector<std::int32_t>>(count, mixed);
    spec.start_kind = cases::StartKind::kExplicit;
    spec.starts = *rc::gen::container<std::vector<std::int32_t>>(count, mixed);
    spec.as_row_ends = *rc::gen::arbitrary<bool>();
    const std::string fault = check_case(cases::CaseInputs(spec),
                                         {{Backend::kCpu, Route::kCpuRows, 2}, {Backend::kCpu, Route::kCpuChunks, 3}});
    if (!fault.empty()) RC_FAIL(fault);
  }));
}

}  // namespace
}  // namespace keysieve::test

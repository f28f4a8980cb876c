// What must hold whatever the right answer is: these tests use neither the reference nor the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "cases/case_table.hpp"
#include "select/routes.hpp"

namespace keysieve::test {
namespace {

using cases::CaseInputs;
using cases::CaseResult;
using cases::SelectCase;

// Raw positions of full rows without NaN, so that plain float comparison is the order.
SelectCase plain_case(std::uint64_t seed) {
  SelectCase spec;
  const cases::Pattern patterns[] = {cases::Pattern::kGauss,       cases::Pattern::kFewValues,
                                     cases::Pattern::kRelu,        cases::Pattern::kUlpShuffled,
                                     cases::Pattern::kInfinityMix, cases::Pattern::kBand1};
  spec.name = "plain/" + std::to_string(seed);
  spec.rows = 1 + static_cast<std::int64_t>(seed % 5);
  spec.width = 1 + static_cast<std::int64_t>(cases::hash32(1, static_cast<std::uint32_t>(seed)) % 3000u);
  spec.k = 1 + static_cast<std::int64_t>(cases::hash32(2, static_cast<std::uint32_t>(seed)) % 300u);
  spec.pattern = {patterns[seed % 6], 0, static_cast<std::uint32_t>(seed)};
  return spec;
}

float value_at(const CaseInputs& inputs, std::int64_t row, std::int64_t column) {
  return std::bit_cast<float>(inputs.score(row, column));
}

constexpr std::uint64_t kSeeds = kSanitized ? 24 : 120;

class Invariants : public testing::TestWithParam<Route> {
 protected:
  CaseResult run_checked(const CaseInputs& inputs, std::int32_t threads = 3) {
    const RunSetup setup{Backend::kCpu, GetParam(), threads};
    CaseResult result = result_for(inputs, setup, 0x5A);
    EXPECT_EQ(run_case(inputs, setup, result), "");
    return result;
  }
};

TEST_P(Invariants, ChosenAreDistinctInRangeAndNoWorseThanTheRest) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const CaseInputs inputs(plain_case(seed));
    const SelectCase& spec = inputs.spec();
    const CaseResult result = run_checked(inputs);
    const std::int64_t m = std::min(spec.k, spec.width);
    for (std::int64_t row = 0; row < spec.rows; ++row) {
      SCOPED_TRACE(describe(spec) + ", row " + std::to_string(row));
      ASSERT_EQ(result.count(row), m);
      std::set<std::int64_t> chosen;
      float worst = INFINITY;
      for (std::int64_t slot = 0; slot < spec.k; ++slot) {
        const std::int64_t index = result.index(row, slot);
        if (slot >= m) {
          ASSERT_EQ(index, -1);
          continue;
        }
        ASSERT_TRUE(index >= 0 && index < spec.width) << index;
        ASSERT_TRUE(chosen.insert(index).second) << index << " twice";
        ASSERT_EQ(result.value(row, slot), inputs.score(row, index));
        worst = std::min(worst, value_at(inputs, row, index));
      }
      std::int64_t last_equal = -1;
      for (const std::int64_t index : chosen) {
        if (value_at(inputs, row, index) == worst) last_equal = std::max(last_equal, index);
      }
      for (std::int64_t column = 0; column < spec.width; ++column) {
        if (chosen.count(column) != 0) continue;
        ASSERT_LE(value_at(inputs, row, column), worst) << "column " << column << " was left out";
        const bool tie = value_at(inputs, row, column) == worst;
        ASSERT_TRUE(!tie || column > last_equal) << "column " << column << " lost a tie to a larger one";
      }
    }
  }
}

TEST_P(Invariants, RowsDoNotInfluenceEachOther) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SelectCase spec = plain_case(seed);
    spec.rows = 5;
    const CaseInputs inputs(spec);
    CaseInputs permuted(spec);
    const std::int64_t order[] = {3, 0, 4, 1, 2};
    for (std::int64_t row = 0; row < 5; ++row) {
      for (std::int64_t column = 0; column < spec.width; ++column) {
        permuted.set_score(row, column, inputs.score(order[row], column));
      }
    }
    const CaseResult result = run_checked(inputs), other = run_checked(permuted, 2);
    SelectCase alone_spec = spec;
    alone_spec.rows = 1;
    for (std::int64_t row = 0; row < 5; ++row) {
      CaseInputs alone(alone_spec);
      for (std::int64_t column = 0; column < spec.width; ++column)
        alone.set_score(0, column, permuted.score(row, column));
      const CaseResult single = run_checked(alone);
      for (std::int64_t slot = 0; slot < spec.k; ++slot) {
        ASSERT_EQ(other.index(row, slot), result.index(order[row], slot)) << describe(spec) << " slot " << slot;
        ASSERT_EQ(single.index(0, slot), result.index(order[row], slot)) << describe(spec) << " slot " << slot;
      }
    }
  }
}

TEST_P(Invariants, SmallerKIsASubset) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SelectCase spec = plain_case(seed);
    spec.order = SlotOrder::kScore;
    const CaseInputs large(spec);
    const CaseResult more = run_checked(large);
    spec.k = (spec.k + 1) / 2;
    const CaseInputs small(spec);
    const CaseResult fewer = run_checked(small);
    for (std::int64_t row = 0; row < spec.rows; ++row) {
      for (std::int64_t slot = 0; slot < spec.k; ++slot) {
        ASSERT_EQ(fewer.index(row, slot), more.index(row, slot)) << describe(spec) << " slot " << slot;
      }
    }
  }
}

TEST_P(Invariants, SelectingTheChosenAgainChoosesAllOfThem) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const CaseInputs inputs(plain_case(seed));
    const SelectCase& spec = inputs.spec();
    const CaseResult first = run_checked(inputs);
    SelectCase again_spec = spec;
    again_spec.width = std::min(spec.k, spec.width);
    CaseInputs again(again_spec);
    for (std::int64_t row = 0; row < spec.rows; ++row) {
      for (std::int64_t slot = 0; slot < again_spec.width; ++slot) again.set_score(row, slot, first.value(row, slot));
    }
    const CaseResult second = run_checked(again);
    for (std::int64_t row = 0; row < spec.rows; ++row) {
      for (std::int64_t slot = 0; slot < again_spec.width; ++slot) ASSERT_EQ(second.index(row, slot), slot);
    }
  }
}

// The outputs and the workspace of the last run are no worse a start than fresh ones.
TEST_P(Invariants, RunningAgainOverItsOwnOutputsChangesNothing) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SelectCase spec = cases::random_case(seed);
    spec.ties = Ties::kSmallest;
    spec.order = SlotOrder::kIndex;
    const CaseInputs inputs(spec);
    const RunSetup setup{Backend::kCpu, GetParam(), 3};
    CaseResult result = result_for(inputs, setup, 0xFF);
    ASSERT_EQ(run_case(inputs, setup, result), "");
    std::vector<std::int64_t> first;
    for (std::int64_t row = 0; row < spec.rows; ++row) {
      for (std::int64_t slot = 0; slot < spec.k; ++slot) first.push_back(result.index(row, slot));
    }
    ASSERT_EQ(run_case(inputs, setup, result), "");
    std::size_t at = 0;
    for (std::int64_t row = 0; row < spec.rows; ++row) {
      for (std::int64_t slot = 0; slot < spec.k; ++slot)
        ASSERT_EQ(result.index(row, slot), first[at++]) << describe(spec);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Routes, Invariants, testing::ValuesIn(kCpuRoutes), [](const auto& instance) {
  return instance.param == Route::kCpuRows ? "cpu_rows" : "cpu_chunks";
});

}  // namespace
}  // namespace keysieve::test

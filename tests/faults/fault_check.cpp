#include "faults/fault_check.hpp"

#include <gtest/gtest.h>

namespace keysieve::test {

const std::vector<RunSetup>& fault_setups() {
  static const std::vector<RunSetup> setups = {
      {Backend::kCpu, Route::kCpuRows, 1},   {Backend::kCpu, Route::kCpuRows, 2},
      {Backend::kCpu, Route::kCpuRows, 2},   {Backend::kCpu, Route::kCpuChunks, 3},
      {Backend::kCpu, Route::kCpuChunks, 2}, {Backend::kCpu, Route::kCpuChunks, 2},
      {Backend::kCpu, Route::kAuto, kAuto},
  };
  return setups;
}

SelectCase fault_case(const char* id, std::int64_t rows, std::int64_t width, std::int64_t k, Pattern pattern) {
  SelectCase spec;
  spec.name = id;
  spec.rows = rows;
  spec.width = width;
  spec.k = k;
  spec.pattern.kind = pattern;
  spec.length_kind = LengthKind::kFull;
  return spec;
}

void set_lengths(SelectCase& spec, std::vector<std::int32_t> lengths) {
  spec.length_kind = LengthKind::kExplicit;
  spec.rows = static_cast<std::int64_t>(lengths.size());
  spec.lengths = std::move(lengths);
}

void expect_right(const CaseInputs& inputs) {
  constexpr std::int64_t kMostForTheReference = 1 << 19;  // scores; above, its full sort costs seconds
  const bool small = inputs.spec().rows * inputs.spec().width <= kMostForTheReference;
  const auto check = small ? check_case : check_case_by_oracle;
  std::vector<RunSetup> setups = fault_setups();
  if (inputs.spec().rows > kMostRowsInChunks) {
    std::erase_if(setups, [](const RunSetup& setup) { return setup.route == Route::kCpuChunks; });
  }
  EXPECT_EQ(check(inputs, setups, 0), "");
}

void expect_right(const SelectCase& spec) { expect_right(CaseInputs(spec)); }

void expect_right_with(const CaseInputs& inputs, const std::function<void(SelectArgs&)>& change) {
  CaseResult expected(inputs, 0, 0);
  cases::compute_expected(inputs, expected);
  std::size_t turn = 0;
  for (const RunSetup& setup : fault_setups()) {
    const SelectPlan plan = plan_for(inputs, setup);
    CaseResult got(inputs, plan.workspace_bytes, kPoisons[turn++ % 3]);
    SelectArgs args = inputs.args();
    got.add_to(args);
    change(args);
    const Status status = try_run(plan, args);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(got.damaged(), "") << describe(setup);
    EXPECT_EQ(cases::compare(inputs, expected, got), "") << describe(setup);
  }
}

std::vector<std::int64_t> selected(const CaseInputs& inputs, std::int64_t row) {
  const RunSetup setup{Backend::kCpu, Route::kAuto, kAuto};
  CaseResult result = result_for(inputs, setup, 0x5A);
  EXPECT_EQ(run_case(inputs, setup, result), "");
  std::vector<std::int64_t> indices;
  for (std::int64_t slot = 0; slot < inputs.spec().k; ++slot) indices.push_back(result.index(row, slot));
  return indices;
}

}  // namespace keysieve::test

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

RunSetup planners_choice() { return {Backend::kCpu, Route::kAuto, kAuto}; }

}  // namespace keysieve::test

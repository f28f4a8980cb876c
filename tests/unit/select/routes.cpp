#include "select/routes.hpp"

#include "cases/compare.hpp"
#include "cases/oracle.hpp"

namespace keysieve::test {
namespace {

std::string with_setup(const cases::CaseInputs& inputs, const RunSetup& setup, const std::string& fault) {
  return describe(inputs.spec()) + "\n  on " + describe(setup) + ": " + fault;
}

std::string check_setups(const cases::CaseInputs& inputs, const std::vector<RunSetup>& setups, std::size_t turn,
                         const cases::CaseResult& expected) {
  for (const RunSetup& setup : setups) {
    cases::CaseResult got = result_for(inputs, setup, kPoisons[turn++ % kPoisons.size()]);
    std::string fault = run_case(inputs, setup, got);
    if (fault.empty()) fault = cases::compare(inputs, expected, got);
    if (!fault.empty()) return with_setup(inputs, setup, fault);
  }
  return {};
}

}  // namespace

std::vector<RunSetup> cpu_setups() {
  std::vector<RunSetup> setups;
  for (const Route route : kCpuRoutes) {
    for (const int threads : kThreadCounts) setups.push_back({Backend::kCpu, route, threads});
  }
  return setups;
}

std::vector<RunSetup> repeated_cpu_setups() {
  std::vector<RunSetup> setups = cpu_setups();
  for (const Route route : kCpuRoutes) setups.insert(setups.end(), 3, {Backend::kCpu, route, 3});
  return setups;
}

std::string describe(const RunSetup& setup) {
  std::string text = setup.backend == Backend::kReference ? "reference" : "cpu";
  if (setup.route == Route::kCpuRows) text += "_rows";
  if (setup.route == Route::kCpuChunks) text += "_chunks";
  if (setup.threads != kAuto) text += ", " + std::to_string(setup.threads) + " threads";
  return text;
}

SelectPlan plan_for(const cases::CaseInputs& inputs, const RunSetup& setup) {
  SelectProblem problem = inputs.problem();
  problem.backend = setup.backend;
  problem.route = setup.route;
  problem.threads = setup.threads;
  return make_plan(problem);
}

std::string run_case(const cases::CaseInputs& inputs, const RunSetup& setup, cases::CaseResult& result) {
  return cases::run_plan(plan_for(inputs, setup), inputs, result);
}

cases::CaseResult result_for(const cases::CaseInputs& inputs, const RunSetup& setup, std::uint8_t poison) {
  return cases::CaseResult(inputs, plan_for(inputs, setup).workspace_bytes, poison);
}

std::string check_case(const cases::CaseInputs& inputs, const std::vector<RunSetup>& setups, std::size_t turn) {
  cases::CaseResult oracle(inputs, 0, 0x33);
  cases::compute_expected(inputs, oracle);
  cases::CaseResult reference = result_for(inputs, kReferenceSetup, 0x5A);
  std::string fault = run_case(inputs, kReferenceSetup, reference);
  if (fault.empty()) fault = cases::compare(inputs, oracle, reference);
  if (!fault.empty()) return with_setup(inputs, kReferenceSetup, fault);
  return check_setups(inputs, setups, turn, reference);
}

std::string check_case_by_oracle(const cases::CaseInputs& inputs, const std::vector<RunSetup>& setups,
                                 std::size_t turn) {
  cases::CaseResult oracle(inputs, 0, 0x33);
  cases::compute_expected(inputs, oracle);
  return check_setups(inputs, setups, turn, oracle);
}

}  // namespace keysieve::test

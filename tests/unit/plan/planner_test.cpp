#include "plan/planner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plan/device_profile.hpp"
#include "plan/policy.hpp"

namespace keysieve {
namespace {

SelectProblem problem(std::int64_t rows, std::int64_t width, std::int64_t k) {
  SelectProblem result;
  result.rows = rows;
  result.width = width;
  result.k = k;
  return result;
}

SelectPlan plan_of(const SelectProblem& request) {
  SelectPlan plan;
  const Status status = make_plan(request, plan);
  EXPECT_TRUE(status.ok()) << status.message();
  return plan;
}

bool mentions(const std::vector<std::string>& faults, const std::string& text) {
  return std::any_of(faults.begin(), faults.end(),
                     [&](const std::string& fault) { return fault.find(text) != std::string::npos; });
}

TEST(Planner, SameAnswerForTheSameProblem) {
  EXPECT_EQ(plan_of(problem(8, 131072, 2048)), plan_of(problem(8, 131072, 2048)));
  EXPECT_FALSE(plan_of(problem(8, 131072, 2048)) == plan_of(problem(8, 131072, 2047)));
}

TEST(Planner, ListsEveryUnmetCondition) {
  SelectProblem bad = problem(-1, std::int64_t{1} << 31, 0);
  bad.order = static_cast<SlotOrder>(9);
  bad.threads = 0;
  const std::vector<std::string> faults = unmet_conditions(bad);
  EXPECT_EQ(faults.size(), 5u);
  for (const char* name : {"rows:", "width:", "k:", "order:", "threads:"}) EXPECT_TRUE(mentions(faults, name)) << name;
  SelectPlan plan;
  const Status status = make_plan(bad, plan);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(plan, SelectPlan{}) << "a refused plan is left as it was";
}

TEST(Planner, ZeroThreadsIsALiteralAndRefused) {
  SelectProblem request = problem(1, 1, 1);
  request.threads = 0;
  EXPECT_TRUE(mentions(unmet_conditions(request), "threads: expected 1..4096, got 0"));
}

TEST(Planner, BackendAndTensorsMustBeOnOneDevice) {
  SelectProblem request = problem(1, 1, 1);
  request.backend = Backend::kCuda;
  SelectPlan plan;
  EXPECT_EQ(make_plan(request, plan).code(), StatusCode::kUnsupported);
  EXPECT_TRUE(mentions(unmet_conditions(request), "device_type says cpu"));
  request.backend = Backend::kCpu;
  request.device_type = DeviceType::kCuda;
  EXPECT_EQ(make_plan(request, plan).code(), StatusCode::kUnsupported);
  EXPECT_TRUE(mentions(unmet_conditions(request), "device tensors need the cuda backend, got cpu"));
}

TEST(Planner, AbsentDevicesAreRefusedWithTheReason) {
  SelectProblem request = problem(1, 1, 1);
  request.device_type = DeviceType::kCuda;
  for (const std::int32_t ordinal : {63, 64, 0x7FFFFFFF}) {
    request.device_ordinal = ordinal;
    SelectPlan plan;
    EXPECT_EQ(make_plan(request, plan).code(), StatusCode::kUnsupported);
    EXPECT_TRUE(mentions(unmet_conditions(request), "backend: "));
  }
}

TEST(Planner, RouteMustFitTheBackend) {
  SelectProblem request = problem(1, 1, 1);
  request.backend = Backend::kReference;
  request.route = Route::kCpuRows;
  EXPECT_TRUE(mentions(unmet_conditions(request), "route:"));
  request.backend = Backend::kCpu;
  request.route = Route::kReference;
  EXPECT_TRUE(mentions(unmet_conditions(request), "route:"));
  request.backend = Backend::kAuto;
  EXPECT_EQ(plan_of(request).backend, Backend::kReference);
}

TEST(Planner, OrdinaryEdgeProblemsArePlanned) {
  for (const SelectProblem& request : {problem(0, 100, 5), problem(3, 0, 5), problem(3, 5, 100)}) plan_of(request);
}

TEST(Planner, JsonHoldsTheWholeDecision) {
  SelectProblem request = problem(8, 131072, 2048);
  request.threads = 3;
  const auto json = nlohmann::json::parse(plan_to_json(plan_of(request)));
  EXPECT_EQ(json["problem"]["rows"], 8);
  EXPECT_EQ(json["threads"], 3);
  EXPECT_EQ(json["automatic"]["threads"], false);
  EXPECT_EQ(json["automatic"]["route"], true);
  EXPECT_EQ(json["route"], "cpu_rows");
  EXPECT_FALSE(json["reason"].get<std::string>().empty());
  EXPECT_GT(json["workspace_bytes"], 0);
}

TEST(Planner, DescriptionTellsAutomaticFromAskedFor) {
  SelectProblem request = problem(8, 131072, 2048);
  request.threads = 3;
  const std::string text = describe_plan(plan_of(request));
  EXPECT_NE(text.find("route: cpu_rows (automatic)"), std::string::npos) << text;
  EXPECT_NE(text.find("threads: 3 (asked for)"), std::string::npos) << text;
}

TEST(Planner, DescriptionSurvivesValuesOutsideTheEnums) {
  SelectPlan plan = plan_of(problem(1, 1, 1));
  plan.route = static_cast<Route>(77);
  plan.reason = -5;
  EXPECT_NE(describe_plan(plan).find("unknown(77)"), std::string::npos);
}

TEST(Planner, ProfilesAreKnownByName) {
  SelectPlan plan;
  for (const DeviceProfile& profile : device_profiles()) {
    const Status status = make_plan_for_profile(problem(64, 65536, 512), profile.name, plan);
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(plan.runnable, 0);
    EXPECT_EQ(plan.backend, Backend::kCuda);
  }
  const Status status = make_plan_for_profile(problem(64, 65536, 512), "h9000", plan);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("h200"), std::string::npos);
}

}  // namespace
}  // namespace keysieve

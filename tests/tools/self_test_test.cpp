// The doctor's self-test itself: which cases it has, that it sees a wrong answer, and that it keeps its time. The CPU
// backend over HostBuffers stands for a GPU.
#include "cli/self_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "cli/self_test_cases.hpp"
#include "host_buffers.hpp"

namespace keysieve::cli {
namespace {

using doctor::CaseGroup;
using doctor::RouteReport;
using ::testing::HasSubstr;

// A device whose downloads of a given size come back with one bit changed.
class FaultyBuffers final : public DeviceBuffers {
 public:
  explicit FaultyBuffers(std::int64_t bytes) : faulty_bytes_(bytes) {}

  void* reserve(std::size_t place, std::int64_t bytes) override { return host_.reserve(place, bytes); }
  void fill(void* device, std::byte value, std::int64_t bytes) override { host_.fill(device, value, bytes); }
  void upload(void* device, const void* host, std::int64_t bytes) override { host_.upload(device, host, bytes); }
  void download(void* host, const void* device, std::int64_t bytes) override {
    host_.download(host, device, bytes);
    if (bytes == faulty_bytes_) *static_cast<std::byte*>(host) ^= std::byte{1};
  }
  void start_clock() override { host_.start_clock(); }
  double stop_clock() override { return host_.stop_clock(); }
  void capture(const std::function<void()>& enqueue) override { host_.capture(enqueue); }
  void replay() override { host_.replay(); }
  void* stream() const override { return nullptr; }

 private:
  std::vector<std::int64_t> uploads_;
  HostBuffers host_{uploads_};
  std::int64_t faulty_bytes_;
};

TestTarget on(DeviceRunner& device) { return {Backend::kCpu, Route::kCpuRows, DeviceType::kCpu, &device}; }

const CaseGroup* group_of(const RouteReport& report, const std::string& name) {
  for (const CaseGroup& group : report.groups) {
    if (group.name == name) return &group;
  }
  return nullptr;
}

class SelfTest : public ::testing::Test {
 protected:
  std::vector<std::int64_t> uploads_;
  DeviceRunner device_{std::make_unique<HostBuffers>(uploads_)};
};

TEST_F(SelfTest, EveryGroupOfADevice) {
  const RouteReport report = test_route(on(device_), TimeLimit(600));
  EXPECT_EQ(report.failed(), 0) << report.first_fault;
  EXPECT_EQ(report.unavailable, "");
  for (const auto& [name, cases] :
       {std::pair("options", 42), std::pair("large rows", 6), std::pair("graph", 3), std::pair("hint", 4)}) {
    const CaseGroup* group = group_of(report, name);
    ASSERT_NE(group, nullptr) << name;
    EXPECT_EQ(group->cases, cases) << name;
    EXPECT_EQ(group->left_out, 0) << name;
  }
}

TEST_F(SelfTest, OnHostMemoryThereAreNoGraphs) {
  const RouteReport report = test_route({Backend::kCpu, Route::kCpuRows, DeviceType::kCpu, nullptr}, TimeLimit(600));
  EXPECT_EQ(report.cases(), 42);
  EXPECT_EQ(group_of(report, "graph"), nullptr);
}

TEST_F(SelfTest, PastTheLimitCasesAreLeftOut) {
  const RouteReport report = test_route(on(device_), TimeLimit(0));
  EXPECT_EQ(report.cases(), 0);
  EXPECT_EQ(report.left_out(), 42 + 6 + 3 + 4);
  EXPECT_EQ(report.unavailable, "") << "left out is not unavailable";
  EXPECT_TRUE(uploads_.empty());
}

TEST_F(SelfTest, ARouteOfAnotherBackendServesNothing) {
  const RouteReport report = test_route({Backend::kCpu, Route::kSplit, DeviceType::kCpu, &device_}, TimeLimit(600));
  EXPECT_EQ(report.cases(), 0);
  EXPECT_NE(report.unavailable, "");
  const CaseGroup* clusters = group_of(report, "clusters of 16");
  ASSERT_NE(clusters, nullptr);
  EXPECT_NE(clusters->unavailable, "");
}

TEST_F(SelfTest, AWrongAnswerIsAFaultOfItsGroup) {
  DeviceRunner faulty(std::make_unique<FaultyBuffers>(3 * 2048 * 4));  // int32 indices of the large rows
  const RouteReport report = test_route(on(faulty), TimeLimit(600));
  EXPECT_EQ(group_of(report, "options")->failed, 0);
  EXPECT_EQ(group_of(report, "large rows")->failed, 6);
  EXPECT_EQ(group_of(report, "graph")->failed, 3);
  EXPECT_EQ(group_of(report, "hint")->failed, 4);
  EXPECT_THAT(report.first_fault, HasSubstr("random, float32, 3 x 40000, k 2048: row 0, slot 0"));
}

TEST(SelfTestCases, OptionCasesDiffer) {
  std::set<std::string> names;
  std::set<IndexMode> modes;
  for (int number = 0; number < kNumOptionCases; ++number) {
    const TestCase test = option_case(number);
    names.insert(test.name);
    modes.insert(test.problem.mode);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kNumOptionCases));
  EXPECT_EQ(modes.size(), 4u);
}

TEST(SelfTestCases, ASeedChangesContentsAlone) {
  const TestCase one = large_case(TestPattern::kRandom, ScoreType::kFloat16, 3, 5000, 64, 1);
  const TestCase two = large_case(TestPattern::kRandom, ScoreType::kFloat16, 3, 5000, 64, 2);
  EXPECT_EQ(one.problem, two.problem);
  EXPECT_NE(one.tensors->scores, two.tensors->scores);
  EXPECT_NE(one.tensors->lengths, two.tensors->lengths);
}

TEST(SelfTestCases, TheExactHintIsTheLastChosenScore) {
  TestCase test = large_case(TestPattern::kAscending, ScoreType::kFloat32, 2, 1000, 100);
  add_hint(test, TestHint::kExact);
  const auto* scores = reinterpret_cast<const float*>(test.tensors->scores.data());
  const auto* hint = static_cast<const float*>(test.args.hint);
  for (int row = 0; row < 2; ++row) {
    EXPECT_EQ(hint[row], scores[row * 1000 + test.tensors->lengths[static_cast<std::size_t>(row)] - 100]) << row;
  }
}

TEST(SelfTestReport, StartsWithTheReference) {
  std::vector<std::string> steps;
  const doctor::SelfTestReport report = run_self_test(600, [&](const std::string& step) { steps.push_back(step); });
  ASSERT_GE(report.routes.size(), 3u);
  EXPECT_EQ(report.routes[0].backend, "reference");
  EXPECT_EQ(report.routes[0].cases(), 5);
  EXPECT_EQ(report.routes[0].failed(), 0);
  EXPECT_EQ(report.limit_seconds, 600);
  EXPECT_GT(report.seconds, 0);
  EXPECT_GE(steps.size(), 2u);
}

}  // namespace
}  // namespace keysieve::cli

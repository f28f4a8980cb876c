#include "cli/self_test.hpp"

#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "cli/option_names.hpp"
#include "cli/select_check.hpp"
#include "cli/selection.hpp"
#include "cli/self_test_cases.hpp"
#include "keysieve/select.hpp"

namespace keysieve::cli {

namespace {

using doctor::CaseGroup;
using doctor::RouteReport;

constexpr std::int64_t kSplitWidth = 65536;  // 4096 columns for each of sixteen CTAs
constexpr std::int64_t kMillion = 1'000'000;
constexpr ScoreType kTypes[] = {ScoreType::kFloat32, ScoreType::kBFloat16, ScoreType::kFloat16};

// Rows that a route was made for. Trivial reads no scores, so its rows are no longer than k.
struct Shape {
  std::int64_t rows;
  std::int64_t width;
  std::int64_t k;
};

Shape natural_shape(Route route) {
  switch (route) {
    case Route::kTrivial:
      return {3, 2000, 2048};
    case Route::kTile:
      return {3, 16000, 512};
    case Route::kWide:
      return {2, 100'000, 2048};
    default:
      return {3, 40'000, 2048};
  }
}

Outputs reference_outputs(const TestCase& test) {
  SelectProblem problem = test.problem;
  problem.backend = Backend::kReference;
  problem.split = kAuto;
  Outputs outputs;
  outputs.prepare(problem, true, std::byte{0xa5});
  Runner().run(make_plan(problem), test.args, outputs);
  return outputs;
}

// One route's cases; groups are opened one after the other.
class RouteTest {
 public:
  RouteTest(const TestTarget& target, const TimeLimit& limit) : target_(target), limit_(limit) {
    report_.backend = name_of(target.backend);
    report_.route = name_of(target.route);
  }

  // `make` makes the case of a number; so a case that is left out costs nothing.
  template <typename Make>
  void run_group(const char* name, int count, Make&& make) {
    run_each(name, count, [&](int number, CaseGroup& group) {
      const TestCase test = make(number);
      if (fits(test.problem, group)) run(test, group);
    });
  }

  // Pairs that differ in contents alone: a graph of the first, replayed on both.
  template <typename Make>
  void run_graphs(const char* name, int count, Make&& make) {
    run_each(name, count, [&](int number, CaseGroup& group) {
      const std::pair<TestCase, TestCase> pair = make(number);
      if (fits(pair.first.problem, group)) run_graph(pair.first, pair.second, group);
    });
  }

  RouteReport finish() {
    if (report_.cases() == 0 && report_.left_out() == 0) {
      report_.unavailable = "it serves none of the shapes tested here, or not on this device";
    }
    return std::move(report_);
  }

  RouteReport& report() { return report_; }

 private:
  template <typename Run>
  void run_each(const char* name, int count, Run&& run_one) {
    CaseGroup group;
    group.name = name;
    const double start = limit_.seconds();
    for (int number = 0; number < count; ++number) {
      if (limit_.passed()) {
        ++group.left_out;
        continue;
      }
      try {
        run_one(number, group);
      } catch (const std::exception& error) {
        fail(group, std::string(name) + " case " + std::to_string(number), error.what());
      }
    }
    group.seconds = limit_.seconds() - start;
    if (group.cases > 0) group.unavailable.clear();
    report_.groups.push_back(std::move(group));
  }

  SelectProblem targeted(SelectProblem problem) const {
    problem.backend = target_.backend;
    problem.route = target_.route;
    problem.device_type = target_.device_type;
    if (target_.backend == Backend::kCpu) problem.threads = 2;
    return problem;
  }

  // Counts the case; false where the route is for other shapes.
  bool fits(const SelectProblem& problem, CaseGroup& group) const {
    std::string unmet = supports(targeted(problem));
    if (unmet.empty()) {
      ++group.cases;
      return true;
    }
    if (group.unavailable.empty()) group.unavailable = std::move(unmet);
    return false;
  }

  void run(const TestCase& test, CaseGroup& group) {
    const SelectProblem problem = targeted(test.problem);
    const SelectPlan plan = make_plan(problem);
    Outputs got;
    got.prepare(problem, true, std::byte{0x5a});
    if (target_.device != nullptr) {
      target_.device->run(plan, test.args, got);
    } else {
      Runner().run(plan, test.args, got);
    }
    compare(test, got, test.name, group);
  }

  void run_graph(const TestCase& first, const TestCase& second, CaseGroup& group) {
    const SelectProblem problem = targeted(first.problem);
    Outputs got;
    got.prepare(problem, true, std::byte{0x5a});
    target_.device->capture(make_plan(problem), first.args, got);
    int replay = 0;
    for (const TestCase* test : {&first, &second, &first}) {
      const int failed = group.failed;
      got.prepare(problem, true, std::byte{0x5a});
      target_.device->replay(test->args, got);
      compare(*test, got, test->name + ", replay " + std::to_string(++replay), group);
      if (group.failed > failed) return;  // one graph, one case
    }
  }

  void compare(const TestCase& test, const Outputs& got, const std::string& name, CaseGroup& group) {
    CheckReport check;
    compare_batch(test.problem, test.args, got, reference_outputs(test), 0, check);
    if (!check.ok()) fail(group, name, "row " + std::to_string(check.first_row) + ", " + check.first_fault);
  }

  void fail(CaseGroup& group, const std::string& name, const std::string& fault) {
    group.cases = std::max(group.cases, ++group.failed);
    if (report_.first_fault.empty()) report_.first_fault = name + ": " + fault;
  }

  const TestTarget& target_;
  const TimeLimit& limit_;
  RouteReport report_;
};

// Types by the hundred-thousand columns: what the small rows cannot reach.
void test_large_rows(RouteTest& test, Route route) {
  const Shape shape = natural_shape(route);
  test.run_group("large rows", 6, [&](int number) {
    const TestPattern pattern = number < 3 ? TestPattern::kRandom : TestPattern::kFewValues;
    return large_case(pattern, kTypes[number % 3], shape.rows, shape.width, shape.k);
  });
  test.run_graphs("graph", 3, [&](int number) {
    const auto make = [&](TestPattern pattern, std::uint64_t seed) {
      return large_case(pattern, kTypes[number], shape.rows, shape.width, shape.k, seed);
    };
    return std::pair(make(TestPattern::kRandom, 1), make(TestPattern::kFewValues, 2));
  });
  test.run_group("hint", kNumTestHints, [&](int number) {
    TestCase hinted = large_case(TestPattern::kRandom, kTypes[number % 3], shape.rows, shape.width, shape.k, 3);
    add_hint(hinted, static_cast<TestHint>(number));
    return hinted;
  });
}

void test_clusters(RouteTest& test) {
  for (const int ctas : {2, 4, 8, 16}) {
    test.run_group(("clusters of " + std::to_string(ctas)).c_str(), 3, [&](int number) {
      TestCase shared = large_case(number == 2 ? TestPattern::kFewValues : TestPattern::kRandom, kTypes[number], 2,
                                   kSplitWidth, 2048);
      shared.problem.split = ctas;
      return shared;
    });
  }
}

// The reference judges all others, so it is itself held against an answer worked out by hand.
RouteReport test_reference(const TimeLimit& limit) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const float scores[] = {nan, 1, 3, -infinity, 3, -0.0f, 0.0f, 3};
  const struct {
    SlotOrder order;
    Ties ties;
    std::int32_t expected[9];
    std::int64_t k;
  } cases[] = {
      {SlotOrder::kIndex, Ties::kSmallest, {2, 4}, 2},
      {SlotOrder::kIndex, Ties::kLargest, {4, 7}, 2},
      {SlotOrder::kScore, Ties::kSmallest, {2, 4, 7, 1, 5, 6, 3, 0, -1}, 9},
      {SlotOrder::kIndex, Ties::kSmallest, {0, 1, 2, 3, 4, 5, 6, 7, -1}, 9},
      {SlotOrder::kIndex, Ties::kSmallest, {1, 2, 3, 4, 5, 6, 7}, 7},
  };
  RouteReport report;
  report.backend = name_of(Backend::kReference);
  report.route = name_of(Route::kReference);
  CaseGroup group;
  group.name = "worked examples";
  const double start = limit.seconds();
  for (const auto& each : cases) {  // whatever the limit says: five rows of eight columns
    ++group.cases;
    std::string fault;
    try {
      SelectProblem problem;
      problem.backend = Backend::kReference;
      problem.rows = 1;
      problem.width = 8;
      problem.k = each.k;
      problem.order = each.order;
      problem.ties = each.ties;
      SelectArgs args;
      args.scores = scores;
      Outputs got;
      got.prepare(problem, false, std::byte{0x5a});
      Runner().run(make_plan(problem), args, got);
      if (std::memcmp(got.indices.data(), each.expected, got.indices.size()) != 0) fault = "wrong indices";
    } catch (const Error& error) {
      fault = error.what();
    }
    if (!fault.empty() && group.failed++ == 0) {
      report.first_fault = "worked example with k " + std::to_string(each.k) + ": " + fault;
    }
  }
  group.seconds = limit.seconds() - start;
  report.groups.push_back(std::move(group));
  return report;
}

// Why the CPU's route cannot run here; on a machine without a GPU there is nothing to say about the GPU's routes.
std::string why_absent(const TestTarget& target) {
  SelectProblem probe;
  probe.device_type = target.device_type;
  probe.backend = target.backend;
  probe.route = target.route;
  probe.rows = 5;
  probe.width = 700;
  probe.k = 1;
  return supports(probe);
}

RouteReport test_gpu_route(Route route, const TimeLimit& limit) {
  TestTarget target{Backend::kCuda, route, DeviceType::kCuda, nullptr};
  std::optional<DeviceRunner> device;
  try {
    device.emplace(DeviceBuffers::open(0));
    target.device = &*device;
    return test_route(target, limit);
  } catch (const std::exception& error) {
    RouteReport report;
    report.backend = name_of(target.backend);
    report.route = name_of(route);
    report.groups.push_back({"device", 1, 1, 0, 0, ""});
    report.first_fault = std::string("opening the device: ") + error.what();
    return report;
  }
}

}  // namespace

RouteReport test_route(const TestTarget& target, const TimeLimit& limit) {
  RouteTest test(target, limit);
  test.run_group("options", kNumOptionCases, option_case);
  if (target.device != nullptr) {
    test_large_rows(test, target.route);
    if (target.route == Route::kSplit) test_clusters(test);
    if (target.route == Route::kWide) {
      test.run_group("a million columns", 2,
                     [](int number) { return large_case(TestPattern::kRandom, kTypes[number], 1, kMillion, 2048, 4); });
    }
  }
  return test.finish();
}

doctor::SelfTestReport run_self_test(double limit_seconds, const std::function<void(const std::string&)>& step) {
  const TimeLimit limit(limit_seconds);
  doctor::SelfTestReport report;
  report.limit_seconds = limit_seconds;
  report.routes.push_back(test_reference(limit));
  for (const Route route : {Route::kCpuRows, Route::kCpuChunks}) {
    step(name_of(route));
    const TestTarget target{Backend::kCpu, route, DeviceType::kCpu, nullptr};
    RouteReport absent;
    absent.backend = name_of(target.backend);
    absent.route = name_of(route);
    absent.unavailable = why_absent(target);
    report.routes.push_back(absent.unavailable.empty() ? test_route(target, limit) : std::move(absent));
  }
  if (why_absent({Backend::kAuto, Route::kAuto, DeviceType::kCuda, nullptr}).empty()) {
    for (const Route route : {Route::kTrivial, Route::kTile, Route::kSieve, Route::kSplit, Route::kWide}) {
      step(name_of(route));
      report.routes.push_back(test_gpu_route(route, limit));
    }
  }
  report.seconds = limit.seconds();
  return report;
}

}  // namespace keysieve::cli

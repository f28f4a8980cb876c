// The shared case table, forced through every route that takes a case, against the oracle.
#include <gtest/gtest.h>

#include <set>

#include "cases/case_table.hpp"
#include "cases/oracle.hpp"
#include "device_case.hpp"
#include "gpu_report.hpp"

namespace keysieve::test {
namespace {

const std::vector<std::string> kGroups = {"pattern", "shape",     "option", "window", "page",
                                          "mode",    "alignment", "long",   "sample", "empty"};

// Every setup with AUTO threads, then each route once more with a literal count of threads, which turns from case to
// case.
std::vector<GpuSetup> setups_for(std::int64_t turn) {
  constexpr std::int32_t kThreadCounts[] = {64, 128, 256, 512, 1024};
  std::vector<GpuSetup> setups = gpu_setups();
  for (const Route route : gpu_routes()) setups.push_back({route, kAuto, kThreadCounts[turn++ % 5]});
  return setups;
}

std::vector<cases::SelectCase> cases_of(const std::string& group) {
  std::vector<cases::SelectCase> chosen = cases::case_table();
  std::erase_if(chosen, [&group](const auto& spec) { return spec.name.substr(0, spec.name.find('/')) != group; });
  return chosen;
}

class CaseTableOnGpu : public testing::TestWithParam<std::string> {
 protected:
  // Over all groups: a route that refused everything was not tested, however green the groups are.
  static void TearDownTestSuite() {
    if (groups_run_ < kGroups.size()) return;
    for (const Route route : gpu_routes()) {
      EXPECT_GT(total_.runs(route), 0) << name_of_route(route) << " took no case of the table";
    }
  }

  static void add(const Tally& tally) {
    ++groups_run_;
    for (const Route route : gpu_routes()) total_.add(route, tally.runs(route), tally.refusals(route));
  }

 private:
  static inline Tally total_;
  static inline std::size_t groups_run_ = 0;
};

TEST_P(CaseTableOnGpu, EqualsTheOracleOnEveryRoute) {
  const std::vector<cases::SelectCase> chosen = cases_of(GetParam());
  ASSERT_FALSE(chosen.empty());
  // Thins the table out for the slow tools (compute-sanitizer).
  const std::int64_t step = environment_number("KEYSIEVE_GPU_TABLE_STEP", 1);
  const std::int64_t count = (std::ssize(chosen) + step - 1) / step;
  Tally tally;
  expect_no_faults(in_parallel(
      count,
      [&](std::int64_t number, cudaStream_t stream, Tally& own) {
        const cases::CaseInputs inputs(chosen[static_cast<std::size_t>(number * step)]);
        cases::CaseResult expected(inputs, 0, 0x33);
        cases::compute_expected(inputs, expected);
        const auto turn = static_cast<std::size_t>(number);
        return check_on_gpu(stream, inputs, expected, setups_for(number), turn, own);
      },
      tally));
  std::printf("%lld of %zu cases\n", static_cast<long long>(count), chosen.size());
  RecordProperty("cases", std::to_string(count));
  report(tally);
  EXPECT_GT(tally.runs(Route::kAuto), 0);
  add(tally);
}

INSTANTIATE_TEST_SUITE_P(Groups, CaseTableOnGpu, testing::ValuesIn(kGroups),
                         [](const auto& instance) { return instance.param; });

// Only "shape" and "empty" have rows that fit k as a whole.
TEST(CaseTableOnGpuRoutes, TrivialTakesWhatFits) {
  std::int64_t accepted = 0;
  for (const cases::SelectCase& spec : cases_of("shape")) {
    if (spec.width > spec.k) continue;
    accepted += plan_on_gpu(cases::CaseInputs(spec).problem(), {Route::kTrivial}).refused ? 0 : 1;
  }
  EXPECT_GT(accepted, 0);
}

TEST(CaseTableOnGpuRoutes, GroupsAreComplete) {
  const std::set<std::string> known(kGroups.begin(), kGroups.end());
  for (const cases::SelectCase& spec : cases::case_table()) {
    EXPECT_EQ(known.count(spec.name.substr(0, spec.name.find('/'))), 1u) << spec.name;
  }
}

}  // namespace
}  // namespace keysieve::test

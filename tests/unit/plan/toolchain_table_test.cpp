// The compiler matrix proves nothing of a route that its table does not reach.
#include "cases/toolchain_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "plan/policy.hpp"

namespace keysieve {
namespace {

using cases::SelectCase;
using cases::toolchain_table;

SelectProblem problem_of(const SelectCase& spec) {
  SelectProblem problem;
  problem.device_type = DeviceType::kCuda;
  problem.rows = spec.rows;
  problem.width = spec.width;
  problem.k = spec.k;
  problem.score_type = spec.score_type;
  problem.mode = spec.mode;
  problem.order = spec.order;
  return problem;
}

DeviceProfile h200() { return *find_device_profile("h200"); }

// The table was written around these; the built-in table has its own few shapes.
DeviceProfile h200_with_default_tuning() {
  DeviceProfile device = h200();
  device.tuning = CudaTuning{};
  return device;
}

RouteChoice choice_of(const SelectCase& spec, const DeviceProfile& device) {
  return choose_cuda_route(problem_of(spec), device);
}

TEST(ToolchainTable, HoldsItsShapesWithEachKAndTheOtherK) {
  std::set<std::string> names, shapes;
  std::map<std::int64_t, int> cases_of_k;
  int other_k = 0;
  std::int64_t scores = 0;
  for (const SelectCase& spec : toolchain_table()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name << " is there twice";
    EXPECT_LE(spec.rows * spec.width, cases::kMaxToolchainScores) << spec.name;
    scores += spec.rows * spec.width;
    if (spec.name.starts_with("toolchain/k/")) {
      ++other_k;
      continue;
    }
    ++cases_of_k[spec.k];
    const std::string k = "/k" + std::to_string(spec.k);
    std::string shape = spec.name;
    shapes.insert(shape.erase(shape.find(k), k.size()));
  }
  EXPECT_GE(shapes.size(), 157u);
  EXPECT_EQ(cases_of_k.size(), 3u);
  for (const auto& [k, count] : cases_of_k) EXPECT_EQ(count, static_cast<int>(shapes.size())) << "k " << k;
  EXPECT_EQ(other_k, 80);
  EXPECT_LE(scores, 400'000'000);
}

TEST(ToolchainTable, EveryCaseRunsOnAnH200) {
  for (const SelectCase& spec : toolchain_table()) {
    const auto faults = cuda_route_faults(problem_of(spec), h200());
    EXPECT_TRUE(faults.empty()) << spec.name << ": " << faults.front();
  }
}

TEST(ToolchainTable, ReachesEveryRouteAndEveryClusterSize) {
  std::map<Route, int> routes;
  std::map<std::int64_t, int> clusters;
  for (const SelectCase& spec : toolchain_table()) {
    const RouteChoice choice = choice_of(spec, h200_with_default_tuning());
    ++routes[choice.route];
    if (choice.route == Route::kSplit) ++clusters[choice.chunks_per_row];
  }
  for (const Route route : {Route::kTrivial, Route::kTile, Route::kSieve, Route::kSplit, Route::kWide}) {
    EXPECT_GE(routes[route], 6) << "route " << static_cast<int>(route);
  }
  for (const std::int64_t ctas : {2, 4, 8, 16}) EXPECT_GE(clusters[ctas], 6) << "clusters of " << ctas;
  EXPECT_GE(routes[Route::kSplit], 200);
}

// Route wide is in no plan of the built-in table; the matrix forces it.
TEST(ToolchainTable, ReachesTheOtherRoutesByTheBuiltInTableToo) {
  std::map<Route, int> routes;
  std::map<std::int64_t, int> clusters;
  for (const SelectCase& spec : toolchain_table()) {
    const RouteChoice choice = choice_of(spec, h200());
    ++routes[choice.route];
    if (choice.route == Route::kSplit) ++clusters[choice.chunks_per_row];
  }
  for (const Route route : {Route::kTrivial, Route::kTile, Route::kSieve, Route::kSplit}) {
    EXPECT_GE(routes[route], 6) << "route " << static_cast<int>(route);
  }
  for (const std::int64_t ctas : {2, 4, 8, 16}) EXPECT_GE(clusters[ctas], 6) << "clusters of " << ctas;
}

TEST(ToolchainTable, MeetsTheSwitchPointsFromBothSides) {
  const auto route_at = [](std::int64_t rows, std::int64_t width) {
    for (const SelectCase& spec : toolchain_table()) {
      if (spec.rows != rows || spec.width != width || spec.k != 512) continue;
      return choice_of(spec, h200_with_default_tuning());
    }
    ADD_FAILURE() << "no case of " << rows << " rows of " << width;
    return RouteChoice{};
  };
  EXPECT_EQ(route_at(1, 32768).route, Route::kTile);
  EXPECT_EQ(route_at(8, 40960).chunks_per_row, 8);
  EXPECT_EQ(route_at(9, 40960).chunks_per_row, 4);
  EXPECT_EQ(route_at(33, 40960).route, Route::kSplit);
  EXPECT_EQ(route_at(34, 40960).route, Route::kSieve);
  EXPECT_EQ(route_at(15, 131072).chunks_per_row, 8);
  EXPECT_EQ(route_at(16, 131072).chunks_per_row, 4);
  EXPECT_EQ(route_at(7, 524288).chunks_per_row, 16);
  EXPECT_EQ(route_at(8, 524288).chunks_per_row, 8);
  EXPECT_EQ(route_at(1, (1 << 21) - 1).route, Route::kSplit);
  EXPECT_EQ(route_at(1, 1 << 21).route, Route::kWide);
}

}  // namespace
}  // namespace keysieve

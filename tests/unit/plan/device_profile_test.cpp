// Devices on which some route cannot run: the planner goes round it, and says why where it cannot.
#include "plan/device_profile.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <string>

#include "plan/policy.hpp"

namespace keysieve {
namespace {

constexpr Route kRoutes[] = {Route::kTrivial, Route::kTile, Route::kSieve, Route::kSplit, Route::kWide};
constexpr std::int64_t kRows[] = {0, 1, 8, 66, 133, 1024, 100000};
constexpr std::int64_t kWidths[] = {0, 1, 512, 8192, 16385, 131072, 1 << 22, 0x7FFFFFFF};
constexpr std::int64_t kKs[] = {1, 512, 8192};

SelectProblem problem(std::int64_t rows, std::int64_t width, std::int64_t k, Route route = Route::kAuto) {
  SelectProblem result;
  result.device_type = DeviceType::kCuda;
  result.rows = rows;
  result.width = width;
  result.k = k;
  result.route = route;
  return result;
}

DeviceProfile without(const DeviceProfile& device, std::initializer_list<Route> routes) {
  DeviceProfile result = device;
  for (const Route route : routes) result.unavailable[static_cast<std::size_t>(route)] = "its kernel is ill";
  return result;
}

TEST(DeviceProfile, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const DeviceProfile& device : device_profiles()) {
    EXPECT_TRUE(names.insert(device.name).second) << device.name;
    EXPECT_EQ(find_device_profile(device.name), &device);
    EXPECT_LT(device.shared_bytes_per_cta, device.shared_bytes_per_sm);
    EXPECT_GE(device.resident_clusters_of_8, device.resident_clusters_of_16);
  }
  EXPECT_EQ(find_device_profile("h20"), nullptr);
  EXPECT_EQ(find_device_profile(""), nullptr);
}

TEST(DeviceProfile, NamedDevicesRunEveryRoute) {
  for (const DeviceProfile& device : device_profiles()) {
    for (const Route route : kRoutes) EXPECT_EQ(why_unavailable(device, route), nullptr) << device.name;
  }
}

TEST(DeviceProfile, TheLargestClusterStepsDown) {
  DeviceProfile device = *find_device_profile("h200");
  EXPECT_EQ(max_cluster_ctas(device), 16);
  device.resident_clusters_of_16 = 0;
  EXPECT_EQ(max_cluster_ctas(device), 8);
  device.resident_clusters_of_8 = 0;
  EXPECT_EQ(max_cluster_ctas(device), 1);
}

TEST(UnavailableRoutes, AreRefusedWithTheReasonAlone) {
  for (const DeviceProfile& whole : device_profiles()) {
    for (const Route route : kRoutes) {
      const auto faults = cuda_route_faults(problem(4, 100, 512, route), without(whole, {route}));
      ASSERT_EQ(faults.size(), 1u);
      EXPECT_NE(faults[0].find("its kernel is ill"), std::string::npos) << faults[0];
      EXPECT_NE(faults[0].find(whole.name), std::string::npos) << faults[0];
    }
  }
}

// AUTO never takes them, nor is anything refused as long as sieve or wide is left: these take every problem.
TEST(UnavailableRoutes, AutoGoesRoundThem) {
  for (const DeviceProfile& whole : device_profiles()) {
    for (std::uint32_t mask = 0; mask < 32; ++mask) {
      DeviceProfile device = whole;
      for (std::uint32_t i = 0; i < 5; ++i) {
        if ((mask >> i & 1u) != 0) device.unavailable[static_cast<std::size_t>(kRoutes[i])] = "its kernel is ill";
      }
      const bool some_general =
          why_unavailable(device, Route::kSieve) == nullptr || why_unavailable(device, Route::kWide) == nullptr;
      for (const std::int64_t rows : kRows) {
        for (const std::int64_t width : kWidths) {
          for (const std::int64_t k : kKs) {
            const SelectProblem request = problem(rows, width, k);
            const auto faults = cuda_route_faults(request, device);
            if (some_general) {
              ASSERT_TRUE(faults.empty()) << faults[0];
            }
            if (!faults.empty()) continue;
            const RouteChoice choice = choose_cuda_route(request, device);
            ASSERT_EQ(why_unavailable(device, choice.route), nullptr)
                << device.name << " mask " << mask << ": " << rows << " x " << width << " k=" << k;
          }
        }
      }
    }
  }
}

TEST(UnavailableRoutes, NothingLeftIsSaid) {
  const DeviceProfile device = without(*find_device_profile("h200"),
                                       {Route::kTrivial, Route::kTile, Route::kSieve, Route::kSplit, Route::kWide});
  const auto faults = cuda_route_faults(problem(4, 131072, 512), device);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults[0].find("its kernel is ill"), std::string::npos) << faults[0];
}

// Where wide stands in for another route, the workspace is there, and one arena still serves every smaller size.
TEST(UnavailableRoutes, WorkspaceCoversWideAndIsMonotone) {
  for (const DeviceProfile& whole : device_profiles()) {
    for (const Route missing : kRoutes) {
      const DeviceProfile device = without(whole, {missing});
      const auto choose = [&](std::int64_t rows, std::int64_t width, std::int64_t k, Route route) {
        return choose_cuda_route(problem(rows, width, k, route), device);
      };
      for (std::size_t r = 0; r + 1 < std::size(kRows); ++r) {
        for (std::size_t w = 0; w + 1 < std::size(kWidths); ++w) {
          for (std::size_t k = 0; k + 1 < std::size(kKs); ++k) {
            const RouteChoice here = choose(kRows[r], kWidths[w], kKs[k], Route::kAuto);
            EXPECT_LE(here.workspace_bytes, choose(kRows[r + 1], kWidths[w], kKs[k], Route::kAuto).workspace_bytes);
            EXPECT_LE(here.workspace_bytes, choose(kRows[r], kWidths[w + 1], kKs[k], Route::kAuto).workspace_bytes);
            EXPECT_LE(here.workspace_bytes, choose(kRows[r], kWidths[w], kKs[k + 1], Route::kAuto).workspace_bytes);
            if (here.route != Route::kWide) continue;
            EXPECT_GE(here.workspace_bytes, choose(kRows[r], kWidths[w], kKs[k], Route::kWide).workspace_bytes);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace keysieve

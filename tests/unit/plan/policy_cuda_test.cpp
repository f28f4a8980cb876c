// The CUDA policy is pure host code, so every profile is tested without its GPU.
#include <gtest/gtest.h>

#include "plan/policy.hpp"

namespace keysieve {
namespace {

SelectProblem problem(std::int64_t rows, std::int64_t width, std::int64_t k = 512) {
  SelectProblem result;
  result.device_type = DeviceType::kCuda;
  result.rows = rows;
  result.width = width;
  result.k = k;
  return result;
}

const DeviceProfile& profile(const char* name) { return *find_device_profile(name); }

TEST(PolicyCuda, RouteFollowsRowsAndWidth) {
  const DeviceProfile& h200 = profile("h200");
  EXPECT_EQ(choose_cuda_route(problem(1024, 8192), h200).route, Route::kTile);
  EXPECT_EQ(choose_cuda_route(problem(1024, 131072), h200).route, Route::kSieve);
  EXPECT_EQ(choose_cuda_route(problem(1, 131072), h200).route, Route::kSplit);
  EXPECT_EQ(choose_cuda_route(problem(1, 1 << 20), h200).route, Route::kWide);
}

TEST(PolicyCuda, WithoutClustersNothingSplits) {
  const DeviceProfile& a100 = profile("a100");
  for (const std::int64_t rows : {0, 1, 8, 64, 132, 1024}) {
    for (const std::int64_t width : {0, 1, 8192, 16384, 16385, 131072, 1 << 21}) {
      EXPECT_NE(choose_cuda_route(problem(rows, width), a100).route, Route::kSplit);
    }
  }
  SelectProblem forced = problem(1, 131072);
  forced.route = Route::kSplit;
  ASSERT_EQ(cuda_route_faults(forced, a100).size(), 1u);
  EXPECT_TRUE(cuda_route_faults(forced, profile("h200")).empty());
}

TEST(PolicyCuda, SplitIsAPowerOfTwoThatClustersAllow) {
  for (std::int64_t rows = 1; rows <= 132; ++rows) {
    const RouteChoice choice = choose_cuda_route(problem(rows, 131072), profile("h200"));
    ASSERT_EQ(choice.route, Route::kSplit) << rows;
    EXPECT_GE(choice.chunks_per_row, 2);
    EXPECT_LE(choice.chunks_per_row, 8);
    EXPECT_EQ(choice.chunks_per_row & (choice.chunks_per_row - 1), 0);
  }
}

TEST(PolicyCuda, RefusesWithEveryUnmetCondition) {
  SelectProblem request = problem(1, 131072, 9000);
  request.route = Route::kTile;
  EXPECT_EQ(cuda_route_faults(request, profile("h200")).size(), 2u);  // k and the tile's width
  request.route = Route::kCpuRows;
  EXPECT_EQ(cuda_route_faults(request, profile("h200")).size(), 2u);  // k and the route
}

TEST(PolicyCuda, WorkspaceIsMonotoneInsideARoute) {
  SelectProblem request = problem(1, 1 << 20);
  request.route = Route::kWide;
  std::int64_t last = 0;
  for (std::int64_t rows = 0; rows < 10; ++rows) {
    request.rows = rows;
    const std::int64_t bytes = choose_cuda_route(request, profile("h200")).workspace_bytes;
    EXPECT_GE(bytes, last);
    last = bytes;
  }
}

}  // namespace
}  // namespace keysieve

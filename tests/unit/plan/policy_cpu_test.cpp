#include <gtest/gtest.h>

#include "cpu/workspace_layout.hpp"
#include "plan/policy.hpp"

namespace keysieve {
namespace {

SelectProblem problem(std::int64_t rows, std::int64_t width, std::int64_t k = 512) {
  SelectProblem result;
  result.rows = rows;
  result.width = width;
  result.k = k;
  return result;
}

TEST(PolicyCpu, OneThreadTakesRows) {
  const RouteChoice choice = choose_cpu_route(problem(1, 1 << 20), 1);
  EXPECT_EQ(choice.route, Route::kCpuRows);
  EXPECT_EQ(choice.reason, Reason::kCpuOneThread);
}

TEST(PolicyCpu, AsManyRowsAsThreadsTakeRows) {
  EXPECT_EQ(choose_cpu_route(problem(8, 1 << 20), 8).route, Route::kCpuRows);
  EXPECT_EQ(choose_cpu_route(problem(7, 1 << 20), 8).route, Route::kCpuChunks);
}

TEST(PolicyCpu, ShortRowsAreNotShared) {
  EXPECT_EQ(choose_cpu_route(problem(1, 65535), 8).reason, Reason::kCpuRowsTooShortToShare);
  EXPECT_EQ(choose_cpu_route(problem(1, 65536), 8).chunks_per_row, 2);
  EXPECT_EQ(choose_cpu_route(problem(1, 1 << 20), 8).chunks_per_row, 8);
}

TEST(PolicyCpu, ForcedChunksSplitEvenShortRows) {
  SelectProblem request = problem(9, 100);
  request.route = Route::kCpuChunks;
  const RouteChoice choice = choose_cpu_route(request, 4);
  EXPECT_EQ(choice.reason, Reason::kForced);
  EXPECT_EQ(choice.chunks_per_row, 4);
}

TEST(PolicyCpu, ChunksAreBounded) {
  SelectProblem request = problem(1, std::int64_t{1} << 30);
  request.threads = 4096;
  EXPECT_EQ(choose_cpu_route(request, 1).chunks_per_row, cpu::kMaxChunksPerRow);
}

TEST(PolicyCpu, ExplicitThreadsWinOverTheDefault) {
  SelectProblem request = problem(64, 1024);
  request.threads = 3;
  EXPECT_EQ(choose_cpu_route(request, 16).threads, 3);
}

TEST(PolicyCpu, WorkspaceIsMonotoneInRowsWidthAndK) {
  // One arena must serve every captured size, also where the route changes on the way.
  for (const std::int64_t k : {1, 512, 2048, 8192}) {
    for (const std::int64_t width : {1, 1000, 65535, 65536, 1 << 20}) {
      std::int64_t last = 0;
      for (const std::int64_t rows : {0, 1, 7, 8, 9, 1000}) {
        const std::int64_t bytes = choose_cpu_route(problem(rows, width, k), 8).workspace_bytes;
        EXPECT_GE(bytes, last) << rows << ' ' << width << ' ' << k;
        last = bytes;
        EXPECT_GE(choose_cpu_route(problem(rows, width + 1, k), 8).workspace_bytes, bytes);
        EXPECT_GE(choose_cpu_route(problem(rows, width, k + 1), 8).workspace_bytes, bytes);
      }
    }
  }
}

}  // namespace
}  // namespace keysieve

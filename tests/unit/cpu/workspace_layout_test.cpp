#include "cpu/workspace_layout.hpp"

#include <gtest/gtest.h>

namespace keysieve::cpu {
namespace {

SelectProblem problem(std::int64_t width, std::int64_t k) {
  SelectProblem result;
  result.rows = 1;
  result.width = width;
  result.k = k;
  return result;
}

TEST(WorkspaceLayout, GrowsWithEverySize) {
  std::int64_t last = 0;
  for (const std::int64_t k : {1, 2, 500, 2048, 2049, 8192, 100000}) {
    const std::int64_t bytes = workspace_layout(problem(1 << 20, k), 4, 4).total_bytes;
    EXPECT_GE(bytes, last) << k;
    last = bytes;
  }
  last = 0;
  for (const std::int64_t width : {0, 1, 64, 100, 4096, 4097, 131072, 2147483647}) {
    const std::int64_t bytes = workspace_layout(problem(width, 2048), 4, 4).total_bytes;
    EXPECT_GE(bytes, last) << width;
    last = bytes;
  }
}

TEST(WorkspaceLayout, CandidatesHoldKAndTwoBlocks) {
  for (const std::int64_t width : {1, 63, 5000, 200000}) {
    for (const std::int64_t k : {1, 64, 2048, 300000}) {
      const std::int64_t capacity = candidate_capacity(problem(width, k));
      EXPECT_GE(capacity, std::min(k, width) + 2 * kBlockColumns);
    }
  }
}

TEST(WorkspaceLayout, HugeSizesStayInside64Bits) {
  SelectProblem huge = problem(2147483647, 2147483647);
  huge.order = SlotOrder::kScore;
  EXPECT_GT(workspace_layout(huge, 4096, kMaxChunksPerRow).total_bytes, 0);
}

}  // namespace
}  // namespace keysieve::cpu

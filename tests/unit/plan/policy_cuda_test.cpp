// The CUDA policy is pure host code, so every profile is tested without its GPU.
#include <gtest/gtest.h>

#include "cuda/block/block_state.hpp"
#include "plan/cta_shape.hpp"
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

// With the default tuning: what a measured table says is not for these tests to know.
DeviceProfile profile(const char* name) {
  DeviceProfile device = *find_device_profile(name);
  device.tuning = {};
  return device;
}

Route route_of(const SelectProblem& request, const char* device = "h200") {
  return choose_cuda_route(request, profile(device)).route;
}

constexpr std::int64_t kRows[] = {0, 1, 2, 7, 8, 16, 64, 128, 132, 133, 160, 256, 1024, 100000};
constexpr std::int64_t kWidths[] = {0, 1, 511, 513, 8192, 16384, 16385, 131072, 1 << 20, 1 << 22, 0x7FFFFFFF};
constexpr std::int64_t kKs[] = {1, 31, 512, 2048, 4097, 8192};

TEST(PolicyCuda, RouteFollowsRowsAndWidth) {
  EXPECT_EQ(route_of(problem(1024, 512)), Route::kTrivial);
  EXPECT_EQ(route_of(problem(1024, 8192)), Route::kTile);
  EXPECT_EQ(route_of(problem(1024, 131072)), Route::kSieve);
  EXPECT_EQ(route_of(problem(1, 131072)), Route::kSplit);
  EXPECT_EQ(route_of(problem(1, 1 << 22)), Route::kWide);
}

TEST(PolicyCuda, RowsThatNeedScoresAreNotTrivial) {
  SelectProblem request = problem(8, 512);
  request.order = SlotOrder::kScore;
  EXPECT_EQ(route_of(request), Route::kTile);
  request.order = SlotOrder::kIndex;
  request.mask_neg_inf = 1;
  EXPECT_EQ(route_of(request), Route::kTile);
}

TEST(PolicyCuda, WithoutClustersNothingSplits) {
  const DeviceProfile a100 = profile("a100");
  for (const std::int64_t rows : kRows) {
    for (const std::int64_t width : kWidths) EXPECT_NE(route_of(problem(rows, width), "a100"), Route::kSplit);
  }
  SelectProblem forced = problem(1, 131072);
  forced.route = Route::kSplit;
  ASSERT_EQ(cuda_route_faults(forced, a100).size(), 1u);
  EXPECT_TRUE(cuda_route_faults(forced, profile("h200")).empty());
}

TEST(PolicyCuda, ClustersStepDownWithTheDevice) {
  DeviceProfile device = profile("h200");
  const SelectProblem one_row = problem(1, 1 << 20);
  EXPECT_EQ(choose_cuda_route(one_row, device).chunks_per_row, 16);
  device.resident_clusters_of_16 = 0;
  EXPECT_EQ(choose_cuda_route(one_row, device).chunks_per_row, 8);
  device.resident_clusters_of_8 = 0;
  EXPECT_EQ(choose_cuda_route(one_row, device).route, Route::kWide);
}

TEST(PolicyCuda, ClustersOnlyWhereAllRunAtOnce) {
  const DeviceProfile h200 = profile("h200");
  EXPECT_EQ(choose_cuda_route(problem(h200.resident_clusters_of_16, 1 << 20), h200).chunks_per_row, 16);
  EXPECT_EQ(choose_cuda_route(problem(h200.resident_clusters_of_16 + 1, 1 << 20), h200).chunks_per_row, 8);
  EXPECT_EQ(choose_cuda_route(problem(h200.resident_clusters_of_8, 262144), h200).chunks_per_row, 8);
  EXPECT_EQ(choose_cuda_route(problem(h200.resident_clusters_of_8 + 1, 262144), h200).chunks_per_row, 4);
}

TEST(PolicyCuda, SharedRowsNeverTakeMoreCtasThanThereAreSms) {
  for (std::int64_t rows = 1; rows <= 200; ++rows) {
    for (const std::int64_t width : {16385, 65536, 131072, 1 << 20}) {
      const RouteChoice choice = choose_cuda_route(problem(rows, width), profile("h200"));
      if (choice.route == Route::kSplit) {
        EXPECT_LE(rows * choice.chunks_per_row, 132) << rows << " x " << width;
      }
    }
  }
}

TEST(PolicyCuda, EveryPlanFitsTheDevice) {
  for (const DeviceProfile& device : device_profiles()) {
    for (const std::int64_t rows : kRows) {
      for (const std::int64_t width : kWidths) {
        for (const std::int64_t k : kKs) {
          const SelectProblem request = problem(rows, width, k);
          ASSERT_TRUE(cuda_route_faults(request, device).empty()) << rows << " x " << width << " k=" << k;
          const RouteChoice choice = choose_cuda_route(request, device);
          EXPECT_LE(choice.shared_bytes, device.shared_bytes_per_cta);
          EXPECT_EQ(choice.threads % 32, 0);
          EXPECT_GE(choice.threads, 32);
          EXPECT_LE(choice.threads, 1024);
          EXPECT_GE(choice.chunks_per_row, 1);
          if (choice.route == Route::kTrivial) continue;
          if (choice.route == Route::kTile) {
            EXPECT_TRUE(tile_holds(width, choice.threads, choice.chunks_per_row))
                << width << " columns, " << choice.threads << " threads";
            EXPECT_GE(2 * choice.candidate_capacity, std::min(k, width));  // a position each
            continue;
          }
          // After a reduction to k every warp can take one more chunk.
          EXPECT_GE(choice.candidate_capacity, std::min(k, width) + choice.threads / 32 * kChunkColumns);
          EXPECT_LE(choice.sample_vectors, 2 * choice.threads);
          EXPECT_EQ(choice.sample_vectors & (choice.sample_vectors - 1), 0);
        }
      }
    }
  }
}

TEST(PolicyCuda, LittleSharedMemoryStillServesEveryK) {
  DeviceProfile small = profile("a100");
  small.shared_bytes_per_cta = 101376;
  small.shared_bytes_per_sm = 102400;
  for (const std::int32_t sms : {48, 92}) {
    small.num_sms = sms;
    for (const std::int64_t width : {24000, 24280, 24520, 262144, 384000, 400000, 779424, 779425, 1048576}) {
      for (const std::int64_t k : kKs) EXPECT_TRUE(cuda_route_faults(problem(1, width, k), small).empty()) << width;
    }
  }
}

TEST(PolicyCuda, RefusesWithEveryUnmetCondition) {
  const DeviceProfile h200 = profile("h200");
  SelectProblem request = problem(1, 131072, 9000);
  request.route = Route::kCpuRows;
  request.threads = 33;
  EXPECT_EQ(cuda_route_faults(request, h200).size(), 3u);  // the route, k, the threads
  request = problem(1, 524288);
  request.route = Route::kTile;
  EXPECT_EQ(cuda_route_faults(request, h200).size(), 1u);  // more columns than registers
  request.route = Route::kTrivial;
  request.mask_neg_inf = 1;
  request.order = SlotOrder::kScore;
  EXPECT_EQ(cuda_route_faults(request, h200).size(), 3u);  // the width, the mask, the order
  request = problem(1, 131072);
  request.route = Route::kSieve;
  request.split = 2;
  EXPECT_EQ(cuda_route_faults(request, h200).size(), 1u);
  request.route = Route::kSplit;
  request.split = 17;
  EXPECT_EQ(cuda_route_faults(request, h200).size(), 1u);
}

TEST(PolicyCuda, LiteralTuningIsTaken) {
  SelectProblem request = problem(4, 131072);
  request.route = Route::kSplit;
  request.split = 3;
  request.threads = 64;
  const RouteChoice choice = choose_cuda_route(request, profile("h200"));
  EXPECT_EQ(choice.chunks_per_row, 3);
  EXPECT_EQ(choice.threads, 64);
}

TEST(PolicyCuda, MoreThreadsThanSplitTakesLeadElsewhere) {
  SelectProblem request = problem(1, 131072);
  request.threads = 1024;
  EXPECT_NE(route_of(request), Route::kSplit);
  EXPECT_TRUE(cuda_route_faults(request, profile("h200")).empty());
  request.route = Route::kSplit;
  EXPECT_EQ(cuda_route_faults(request, profile("h200")).size(), 1u);
}

// A plan that names route wide has room for every part, whatever led there.
TEST(PolicyCuda, WidePlansBringTheirWorkspace) {
  for (const DeviceProfile& device : device_profiles()) {
    for (const std::int32_t threads : {kAuto, 64, 512, 544, 1024}) {
      for (const std::int64_t rows : kRows) {
        for (const std::int64_t width : kWidths) {
          for (const std::int64_t k : kKs) {
            SelectProblem request = problem(rows, width, k);
            request.threads = threads;
            if (!cuda_route_faults(request, device).empty()) continue;
            const RouteChoice choice = choose_cuda_route(request, device);
            if (choice.route != Route::kWide) continue;
            EXPECT_GE(choice.workspace_bytes, rows * choice.chunks_per_row * std::min(k, width) * 8)
                << rows << " x " << width << " k=" << k << " threads=" << threads << " on " << device.name;
          }
        }
      }
    }
  }
}

// One arena serves every size up to the largest.
void expect_monotone(Route route, std::int32_t threads, const DeviceProfile& device) {
  const auto bytes = [&](std::int64_t rows, std::int64_t width, std::int64_t k) {
    SelectProblem request = problem(rows, width, k);
    request.threads = threads;
    request.route = route;
    return cuda_route_faults(request, device).empty() ? choose_cuda_route(request, device).workspace_bytes : 0;
  };
  for (std::size_t r = 0; r + 1 < std::size(kRows); ++r) {
    for (std::size_t w = 0; w + 1 < std::size(kWidths); ++w) {
      for (std::size_t k = 0; k + 1 < std::size(kKs); ++k) {
        const std::int64_t here = bytes(kRows[r], kWidths[w], kKs[k]);
        EXPECT_LE(here, bytes(kRows[r + 1], kWidths[w], kKs[k]));
        EXPECT_LE(here, bytes(kRows[r], kWidths[w + 1], kKs[k]));
        EXPECT_LE(here, bytes(kRows[r], kWidths[w], kKs[k + 1]));
      }
    }
  }
}

TEST(PolicyCuda, WorkspaceIsMonotone) {
  for (const DeviceProfile& device : device_profiles()) {
    for (const Route route : {Route::kAuto, Route::kWide, Route::kSieve}) {
      for (const std::int32_t threads : {kAuto, 256, 1024}) expect_monotone(route, threads, device);
    }
  }
}

}  // namespace
}  // namespace keysieve

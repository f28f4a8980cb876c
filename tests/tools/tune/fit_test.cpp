// The fit on times made up so that the crossovers are known.
#include "tune/fit.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <random>

#include "plan/policy.hpp"

namespace keysieve::tune {
namespace {

constexpr std::int64_t kRows[] = {1, 2, 4, 8, 16, 32, 64, 96, 128, 132, 160, 256, 1024};
constexpr std::int64_t kWidths[] = {4096, 8192, 12288, 16384, 24576, 32768, 65536, 131072, 262144, 1 << 20};
constexpr std::int64_t kKs[] = {512, 2048};

const DeviceProfile& h200() { return *find_device_profile("h200"); }

// With the default tuning, whatever table is compiled in.
DeviceProfile fresh() {
  DeviceProfile device = h200();
  device.tuning = {};
  return device;
}

SelectProblem forced(const Shape& shape, Route route, std::int32_t split, std::int32_t threads) {
  SelectProblem problem;
  problem.device_type = DeviceType::kCuda;
  problem.rows = shape.rows;
  problem.width = shape.width;
  problem.k = shape.k;
  problem.route = route;
  problem.split = split;
  problem.threads = threads;
  return problem;
}

// Every way that the device takes, as a forced-route benchmark would list them.
std::vector<Way> ways_of(const Shape& shape) {
  struct Asked {
    Route route;
    std::int32_t split, threads;
  };
  std::vector<Way> ways;
  for (const Asked& asked :
       {Asked{Route::kTile, kAuto, kAuto}, Asked{Route::kSieve, kAuto, 512}, Asked{Route::kSieve, kAuto, 1024},
        Asked{Route::kSplit, 2, kAuto}, Asked{Route::kSplit, 4, kAuto}, Asked{Route::kSplit, 8, kAuto},
        Asked{Route::kSplit, 16, kAuto}, Asked{Route::kWide, kAuto, kAuto}}) {
    if (asked.route == Route::kWide && (shape.rows > 8 || shape.width < 65536)) continue;
    const SelectProblem problem = forced(shape, asked.route, asked.split, asked.threads);
    if (!cuda_route_faults(problem, h200()).empty()) continue;
    const RouteChoice choice = choose_cuda_route(problem, h200());
    ways.push_back({choice.route, choice.chunks_per_row, choice.threads});
  }
  return ways;
}

using Time = std::function<double(const Shape&, const Way&)>;

std::vector<Point> points_with(const Time& time) {
  std::vector<Measured> measured;
  for (const std::int64_t rows : kRows) {
    for (const std::int64_t width : kWidths) {
      for (const std::int64_t k : kKs) {
        const Shape shape{rows, width, k};
        for (const Way& way : ways_of(shape)) measured.push_back({shape, way, time(shape, way), "index ragged"});
      }
    }
  }
  return points_of(measured);
}

// A world in which the planner under `truth` is always right: its way takes 10 us, every other one 14.
std::vector<Point> points_of_truth(const CudaTuning& truth) {
  DeviceProfile device = h200();
  device.tuning = truth;
  return points_with([&](const Shape& shape, const Way& way) {
    const RouteChoice right = choose_cuda_route(forced(shape, Route::kAuto, kAuto, kAuto), device);
    return way == Way{right.route, right.chunks_per_row, right.threads} ? 10.0 : 14.0;
  });
}

TEST(Fit, LeavesRightValuesAlone) {
  const std::vector<Point> points = points_of_truth({});
  const Fit fit = fit_tuning(points, fresh());
  EXPECT_EQ(fit.tuning, CudaTuning{});
  EXPECT_NEAR(fit.loss_before, 0.0, 1e-12);
  EXPECT_NEAR(fit.loss_after, 0.0, 1e-12);
}

// Every threshold alone, moved to a measured place: found, and exactly so where no other place serves as well.
TEST(Fit, FindsEachCrossover) {
  const auto expect_found = [](std::int64_t CudaTuning::*value, std::int64_t where, bool exactly = true) {
    CudaTuning truth;
    truth.*value = where;
    const Fit fit = fit_tuning(points_of_truth(truth), fresh());
    EXPECT_GT(fit.loss_before, 0.0) << where;
    EXPECT_NEAR(fit.loss_after, 0.0, 1e-9) << where;
    if (exactly) {
      EXPECT_EQ(fit.tuning.*value, where);
    }
  };
  expect_found(&CudaTuning::tile_max_bytes, 4096 * 4, false);
  expect_found(&CudaTuning::tile_max_bytes, 24576 * 4, false);
  expect_found(&CudaTuning::tile_max_bytes_few_rows, 4096 * 4, false);
  expect_found(&CudaTuning::split_min_columns, 16384, false);
  expect_found(&CudaTuning::split_long_row_columns, 65536, false);
  expect_found(&CudaTuning::split_very_long_row_columns, 262144);
  expect_found(&CudaTuning::wide_min_columns, 1 << 20);
  expect_found(&CudaTuning::sieve_many_threads_columns, 131072);
}

// Tile loses to clusters, which gain from smaller shares on more SMs.
TEST(Fit, FindsSeveralCrossoversAtOnce) {
  CudaTuning truth;
  truth.tile_max_bytes_few_rows = 0;
  truth.split_min_columns = 1024;
  truth.split_sm_percent = 97;
  const Fit fit = fit_tuning(points_of_truth(truth), fresh());
  EXPECT_NEAR(fit.loss_after, 0.0, 1e-9);
  EXPECT_EQ(fit.tuning.tile_max_bytes_few_rows, 0);
  EXPECT_EQ(fit.tuning.split_min_columns, 1024);
}

// Wide from 2^20 columns on alone loses at the larger batches what it gains at one row; fewer rows alone change
// nothing.
TEST(Fit, FindsCrossoversOfWhichNeitherGainsAlone) {
  CudaTuning truth;
  truth.wide_min_columns = 1 << 20;
  truth.wide_max_rows = 1;
  const Fit fit = fit_tuning(points_of_truth(truth), fresh());
  EXPECT_NEAR(fit.loss_after, 0.0, 1e-9);
  EXPECT_EQ(fit.tuning.wide_min_columns, 1 << 20);
  EXPECT_EQ(fit.tuning.wide_max_rows, 1);
}

TEST(Fit, IsNeverWorseAndAlwaysSound) {
  std::mt19937 random(11);
  for (int round = 0; round < 4; ++round) {
    std::lognormal_distribution<double> noise(2.5, 0.4);
    const std::vector<Point> points = points_with([&](const Shape&, const Way&) { return noise(random); });
    const Fit fit = fit_tuning(points, fresh());
    EXPECT_EQ(tuning_fault(fit.tuning), "");
    EXPECT_LE(fit.loss_after, fit.loss_before);
    DeviceProfile device = h200();
    device.tuning = fit.tuning;
    EXPECT_NEAR(mean_loss(points, device), fit.loss_after, 1e-12);
    EXPECT_EQ(fit_tuning(points, fresh()).tuning, fit.tuning) << "the fit depends on more than its input";
  }
}

// Differences of a hundredth come and go from run to run.
// As many different widths as a tuning run may leave: the fit must not take as long as the measurement.
TEST(Fit, ManyWidthsTakeSeconds) {
  DeviceProfile truth = fresh();
  truth.tuning.split_min_columns = 9000;
  truth.tuning.split_long_row_columns = 100000;
  std::vector<Measured> measured;
  for (std::int64_t i = 0; i < 500; ++i) {
    const Shape shape{kRows[i % 13], 4096 + i * 1024, kKs[i % 2]};
    const RouteChoice right = choose_cuda_route(forced(shape, Route::kAuto, kAuto, kAuto), truth);
    for (const Way& way : ways_of(shape)) {
      const bool best = way == Way{right.route, right.chunks_per_row, right.threads};
      measured.push_back({shape, way, best ? 10.0 : 14.0, ""});
    }
  }
  const std::vector<Point> points = points_of(measured);
  const auto start = std::chrono::steady_clock::now();
  const Fit fit = fit_tuning(points, fresh());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(fit.loss_after, fit.loss_before / 4);
  EXPECT_LT(seconds.count(), 30.0);  // a second where nothing else runs and nothing is instrumented
}

TEST(Fit, IgnoresNoise) {
  const std::vector<Point> points = points_with([](const Shape& shape, const Way& way) {
    return shape.rows == 64 && shape.width == 65536 && way.route == Route::kSplit ? 9.95 : 10.0;
  });
  EXPECT_EQ(fit_tuning(points, fresh()).tuning, CudaTuning{});
}

TEST(Fit, NeverMovesToWhatNobodyMeasured) {
  // Sieve is the slowest of what was measured, and clusters were not.
  std::vector<Measured> measured;
  for (const std::int64_t width : kWidths) {
    const Shape shape{256, width, 512};
    measured.push_back({shape, {Route::kSieve, 1, 512}, 30.0, ""});
    if (width <= 16384) measured.push_back({shape, {Route::kTile, 1, 512}, 20.0, ""});
  }
  const Fit fit = fit_tuning(points_of(measured), fresh());
  EXPECT_EQ(fit.tuning, CudaTuning{});
}

TEST(Points, AreGroupedAndSorted) {
  const Shape shape{4, 8192, 512};
  const std::vector<Measured> measured = {{shape, {Route::kSieve, 1, 512}, 9.0, "any"},
                                          {shape, {Route::kTile, 1, 512}, 7.0, "any"},
                                          {shape, {Route::kSieve, 1, 512}, 8.0, "any"},
                                          {shape, {Route::kSieve, 1, 512}, 5.0, "index"}};
  const std::vector<Point> points = points_of(measured);
  ASSERT_EQ(points.size(), 2u);
  ASSERT_EQ(points[0].candidates.size(), 2u);
  EXPECT_EQ(points[0].best_us(), 7.0);
  EXPECT_EQ(points[0].worst_us(), 8.0);
  EXPECT_EQ(points[1].best_us(), 5.0);
}

TEST(Points, WithoutTheStandingChoiceSayNothing) {
  const Shape few{1, 262144, 512};
  const std::vector<Measured> measured = {{few, {Route::kSieve, 1, 512}, 9.0, ""},
                                          {{1024, 262144, 512}, {Route::kSieve, 1, 256}, 9.0, ""}};
  const std::vector<Point> points = comparable_points(points_of(measured), fresh());
  ASSERT_EQ(points.size(), 1u);  // one row is split, which was not measured; other threads count as measured
  EXPECT_EQ(points[0].shape.rows, 1024);
  EXPECT_TRUE(comparable_points({}, fresh()).empty());
  EXPECT_EQ(mean_loss({}, fresh()), 0.0);
}

}  // namespace
}  // namespace keysieve::tune

// The choice of shapes, with a clock and times made up for the purpose.
#include "tune/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace keysieve::tune {
namespace {

constexpr std::int64_t kCrossover = 23000;  // columns

// Tile below the crossover, sieve above, whatever rows and k.
std::vector<Measured> two_routes(const Shape& shape) {
  const bool tile = shape.width < kCrossover;
  return {{shape, {Route::kTile, 1, 512}, tile ? 10.0 : 20.0, ""},
          {shape, {Route::kSieve, 1, 512}, tile ? 20.0 : 10.0, ""}};
}

Budget budget_of(double seconds) {
  Budget budget;
  budget.seconds = seconds;
  budget.num_sms = 132;
  budget.max_score_bytes = std::int64_t{2} << 30;
  return budget;
}

std::set<std::int64_t> widths_of(const Sample& sample) {
  std::set<std::int64_t> widths;
  for (const Measured& each : sample.measured) widths.insert(each.shape.width);
  return widths;
}

TEST(Sampler, NarrowsACrossover) {
  const Sample sample = sample_crossovers(budget_of(100), two_routes, [] { return 0.0; });
  EXPECT_TRUE(sample.coarse_done);
  EXPECT_TRUE(sample.refined);
  const std::set<std::int64_t> widths = widths_of(sample);
  const auto above = widths.lower_bound(kCrossover);
  ASSERT_NE(above, widths.end());
  ASSERT_NE(above, widths.begin());
  EXPECT_LT(static_cast<double>(*above) / static_cast<double>(*std::prev(above)), 1.15);
  // Nothing is measured where nothing crosses over.
  EXPECT_EQ(widths.upper_bound(65536), widths.find(262144));
}

TEST(Sampler, NarrowsAlongRows) {
  const Sample sample = sample_crossovers(
      budget_of(100),
      [](const Shape& shape) -> std::vector<Measured> {
        const bool split = shape.rows <= 40;
        return {{shape, {Route::kSplit, 2, 512}, split ? 10.0 : 20.0, ""},
                {shape, {Route::kSieve, 1, 512}, split ? 20.0 : 10.0, ""}};
      },
      [] { return 0.0; });
  std::int64_t most = 0, least = 1 << 30;
  for (const Measured& each : sample.measured) {
    if (each.shape.rows <= 40) most = std::max(most, each.shape.rows);
    if (each.shape.rows > 40) least = std::min(least, each.shape.rows);
  }
  EXPECT_LT(static_cast<double>(least) / static_cast<double>(most), 1.15);
}

TEST(Sampler, NoShapeTwice) {
  std::multiset<Shape> asked;
  sample_crossovers(
      budget_of(100), [&](const Shape& shape) { return asked.insert(shape), two_routes(shape); }, [] { return 0.0; });
  for (const Shape& shape : asked) EXPECT_EQ(asked.count(shape), 1u) << shape.rows << " x " << shape.width;
}

TEST(Sampler, StaysWithinItsTime) {
  double now = 0;
  const auto slow = [&](const Shape& shape) { return now += 1.0, two_routes(shape); };
  const std::size_t coarse = coarse_shapes(budget_of(1)).size();
  Sample sample = sample_crossovers(budget_of(10), slow, [&] { return now; });
  EXPECT_EQ(now, 10.0);
  EXPECT_EQ(sample.shapes, 10u);
  EXPECT_EQ(sample.coarse_shapes, coarse);
  EXPECT_FALSE(sample.coarse_done);
  EXPECT_FALSE(sample.refined);
  now = 0;
  sample = sample_crossovers(budget_of(static_cast<double>(coarse) + 3), slow, [&] { return now; });
  EXPECT_EQ(sample.shapes, coarse + 3);
  EXPECT_TRUE(sample.coarse_done);
  EXPECT_FALSE(sample.refined);
}

TEST(Sampler, DoesNotChaseNoise) {
  const Sample sample = sample_crossovers(
      budget_of(100),
      [](const Shape& shape) -> std::vector<Measured> {
        const double odd = shape.rows % 3 == 0 ? 0.1 : -0.1;
        return {{shape, {Route::kTile, 1, 512}, 10.0, ""}, {shape, {Route::kSieve, 1, 512}, 10.0 + odd, ""}};
      },
      [] { return 0.0; });
  EXPECT_EQ(sample.shapes, sample.coarse_shapes);
}

TEST(Sampler, ShapesThatNothingServesAreLeftOut) {
  const Sample sample = sample_crossovers(
      budget_of(100), [](const Shape&) { return std::vector<Measured>{}; }, [] { return 0.0; });
  EXPECT_EQ(sample.shapes, 0u);
  EXPECT_TRUE(sample.measured.empty());
}

TEST(CoarseShapes, FitIntoMemoryAndDiffer) {
  Budget budget = budget_of(1);
  const std::vector<Shape> all = coarse_shapes(budget);
  EXPECT_GT(all.size(), 50u);
  EXPECT_EQ(std::set<Shape>(all.begin(), all.end()).size(), all.size());
  budget.max_score_bytes = 64 << 20;
  const std::vector<Shape> some = coarse_shapes(budget);
  EXPECT_LT(some.size(), all.size());
  for (const Shape& shape : some) EXPECT_LE(shape.rows * shape.width * 4, budget.max_score_bytes);
  budget.num_sms = 1;  // a slice of a GPU: shares of its SMs round to nothing
  for (const Shape& shape : coarse_shapes(budget)) EXPECT_GT(shape.rows, 0);
}

}  // namespace
}  // namespace keysieve::tune

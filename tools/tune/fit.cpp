#include "tune/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>

#include "plan/policy.hpp"

namespace keysieve::tune {
namespace {

// A move must gain two hundredths of one point's time: medians differ by less from run to run.
constexpr double kLeastGain = 0.02;
constexpr double kEqual = 1e-9;
// Of a field, where two fields are tried together: hundreds of widths squared would take longer than the measurement.
constexpr std::size_t kPairValues = 24;

SelectProblem problem_of(const Shape& shape) {
  SelectProblem problem;
  problem.device_type = DeviceType::kCuda;
  problem.backend = Backend::kCuda;
  problem.rows = shape.rows;
  problem.width = shape.width;
  problem.k = shape.k;
  problem.score_type = shape.score_type;
  return problem;
}

double total_loss(std::span<const Point> points, const DeviceProfile& device) {
  double total = 0;
  for (const Point& point : points) total += std::log(choose(point, device).us / point.best_us());
  return total;
}

bool was_seen(const Point& point, Route route) {
  return std::any_of(point.candidates.begin(), point.candidates.end(),
                     [&](const Candidate& each) { return each.way.route == route; });
}

// The values of a field between which the measured shapes can tell, in ascending order.
std::vector<std::int64_t> values_of(const TuningField& field, std::span<const Point> points,
                                    const DeviceProfile& device) {
  std::set<std::int64_t> values = {device.tuning.*field.value};
  const auto is = [&](std::int64_t CudaTuning::*value) { return field.value == value; };
  for (const Point& point : points) {
    const auto& [rows, width, k, score_type] = point.shape;
    if (is(&CudaTuning::tile_max_bytes) || is(&CudaTuning::tile_max_bytes_few_rows)) {
      const std::int64_t bytes = width * size_bytes(score_type);
      if (was_seen(point, Route::kTile)) values.insert({0, bytes});
      // Some shapes go by twice the value.
      if (was_seen(point, Route::kTile) && is(&CudaTuning::tile_max_bytes)) values.insert((bytes + 1) / 2);
    } else if (is(&CudaTuning::wide_max_rows)) {
      if (was_seen(point, Route::kWide)) values.insert({0, rows});
    } else if (is(&CudaTuning::wide_min_columns)) {
      if (was_seen(point, Route::kWide)) values.insert({width, kNeverColumns});
    } else if (is(&CudaTuning::sieve_many_threads_columns)) {
      if (was_seen(point, Route::kSieve)) values.insert({width, kNeverColumns});
    } else if (is(&CudaTuning::split_long_row_columns) || is(&CudaTuning::split_very_long_row_columns)) {
      if (was_seen(point, Route::kSplit)) values.insert({width, kNeverColumns});
    } else {
      for (const Candidate& each : point.candidates) {
        if (each.way.route != Route::kSplit) continue;
        if (is(&CudaTuning::split_min_columns)) values.insert({width / each.way.split, kNeverColumns});
        if (is(&CudaTuning::split_sm_percent)) {
          values.insert((rows * each.way.split * 100 + device.num_sms - 1) / device.num_sms);
        }
      }
    }
  }
  std::vector<std::int64_t> legal;
  for (const std::int64_t value : values) {
    if (value >= field.low && value <= field.high) legal.push_back(value);
  }
  return legal;
}

// How far a value is from the one that stands; 0 counts as next to 1.
double distance(std::int64_t value, std::int64_t standing) {
  return std::abs(std::log(static_cast<double>(std::max<std::int64_t>(value, 1)) /
                           static_cast<double>(std::max<std::int64_t>(standing, 1))));
}

// At most kPairValues of them, the ends included; what lies between is left to the fields alone.
std::vector<std::int64_t> thinned(const std::vector<std::int64_t>& values) {
  if (values.size() <= kPairValues) return values;
  std::vector<std::int64_t> some;
  for (std::size_t i = 0; i < kPairValues; ++i) some.push_back(values[i * (values.size() - 1) / (kPairValues - 1)]);
  return some;
}

class Search {
 public:
  Search(std::span<const Point> points, const DeviceProfile& device)
      : points_(points), standing_(device.tuning), device_(device), best_(total_loss(points, device)) {
    for (std::size_t i = 0; i < kTuningFields.size(); ++i) values_[i] = values_of(kTuningFields[i], points, device);
  }

  const DeviceProfile& run() {
    // Values that decide together over the same shapes can be stuck where neither gains alone.
    constexpr std::array<std::array<std::int64_t CudaTuning::*, 2>, 6> kPairs = {{
        {&CudaTuning::tile_max_bytes_few_rows, &CudaTuning::split_min_columns},
        {&CudaTuning::split_min_columns, &CudaTuning::split_sm_percent},
        {&CudaTuning::split_sm_percent, &CudaTuning::split_long_row_columns},
        {&CudaTuning::split_min_columns, &CudaTuning::split_long_row_columns},
        {&CudaTuning::split_long_row_columns, &CudaTuning::split_very_long_row_columns},
        {&CudaTuning::wide_min_columns, &CudaTuning::wide_max_rows},
    }};
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t i = 0; i < kTuningFields.size(); ++i) moved = improve(i, i) || moved;
      for (const auto& [first, second] : kPairs) moved = improve(index_of(first), index_of(second)) || moved;
    }
    return device_;
  }

 private:
  static std::size_t index_of(std::int64_t CudaTuning::*value) {
    std::size_t index = 0;
    while (kTuningFields[index].value != value) ++index;
    return index;
  }

  double distance_of(const CudaTuning& tuning) const {
    double sum = 0;
    for (const TuningField& field : kTuningFields) sum += distance(tuning.*field.value, standing_.*field.value);
    return sum;
  }

  // Tries every pair of values of two fields (of one, where they are the same) and takes the best.
  bool improve(std::size_t first, std::size_t second) {
    CudaTuning best = device_.tuning;
    double least = best_ - kLeastGain;
    double nearest = 0;
    bool found = false;
    DeviceProfile device = device_;
    const bool alone = first == second;
    const std::vector<std::int64_t> others = alone ? std::vector<std::int64_t>{0} : thinned(values_[second]);
    for (const std::int64_t a : alone ? values_[first] : thinned(values_[first])) {
      for (const std::int64_t b : others) {
        device.tuning = device_.tuning;
        device.tuning.*kTuningFields[first].value = a;
        if (!alone) device.tuning.*kTuningFields[second].value = b;
        if (!tuning_fault(device.tuning).empty()) continue;
        const double loss = total_loss(points_, device);
        const double away = distance_of(device.tuning);
        if (loss > least + kEqual || (found && loss > least - kEqual && away >= nearest)) continue;
        best = device.tuning;
        least = loss;
        nearest = away;
        found = true;
      }
    }
    if (!found) return false;
    device_.tuning = best;
    best_ = least;
    return true;
  }

  std::span<const Point> points_;
  CudaTuning standing_;
  DeviceProfile device_;  // with the best tuning so far
  double best_;
  std::array<std::vector<std::int64_t>, kTuningFields.size()> values_;
};

}  // namespace

Choice choose(const Point& point, const DeviceProfile& device) {
  const RouteChoice decided = choose_cuda_route(problem_of(point.shape), device);
  const Way way = {decided.route, decided.chunks_per_row, decided.threads};
  const Candidate* other_threads = nullptr;
  for (const Candidate& each : point.candidates) {  // fastest first
    if (each.way == way) return {way, each.us, true};
    if (other_threads == nullptr && each.way.route == way.route && each.way.split == way.split) other_threads = &each;
  }
  if (other_threads != nullptr) return {way, other_threads->us, true};
  return {way, point.worst_us(), false};
}

std::vector<Point> comparable_points(std::span<const Point> points, const DeviceProfile& device) {
  std::vector<Point> comparable;
  std::copy_if(points.begin(), points.end(), std::back_inserter(comparable),
               [&](const Point& point) { return choose(point, device).measured; });
  return comparable;
}

double mean_loss(std::span<const Point> points, const DeviceProfile& device) {
  return points.empty() ? 0.0 : std::exp(total_loss(points, device) / static_cast<double>(points.size())) - 1.0;
}

Fit fit_tuning(std::span<const Point> points, const DeviceProfile& device) {
  const DeviceProfile fitted = Search(points, device).run();
  return {fitted.tuning, mean_loss(points, device), mean_loss(points, fitted)};
}

}  // namespace keysieve::tune

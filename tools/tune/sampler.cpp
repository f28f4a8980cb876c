#include "tune/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace keysieve::tune {
namespace {

constexpr std::int64_t kColumnStep = 256;
constexpr double kLeastRatio = 1.15;  // of two neighbours: closer ones are not worth a middle
constexpr double kDecided = 1.03;     // faster by less may be noise
constexpr std::int64_t kLongWidth = 1 << 20;

std::int64_t score_bytes(const Shape& shape) { return shape.rows * shape.width * size_bytes(shape.score_type); }

// A tile's threads follow from its row; nothing crosses over there.
std::pair<Route, std::int64_t> family(const Way& way) {
  const bool by_threads = way.route == Route::kSieve;
  return {way.route, by_threads ? way.threads : (way.route == Route::kSplit ? way.split : 0)};
}

double time_of(const Point& point, const Way& way) {
  for (const Candidate& each : point.candidates) {
    if (family(each.way) == family(way)) return each.us;
  }
  return point.worst_us();
}

bool prefers_own(const Point& point, const Point& other) {
  return time_of(point, other.candidates.front().way) > kDecided * point.best_us();
}

class Sampler {
 public:
  Sampler(const Budget& budget, const Measure& measure, const Seconds& seconds)
      : budget_(budget), measure_(measure), seconds_(seconds) {}

  Sample run() {
    std::vector<Shape> wanted = coarse_shapes(budget_);
    sample_.coarse_shapes = wanted.size();
    sample_.coarse_done = take(wanted);
    bool in_time = sample_.coarse_done;
    while (in_time && !(wanted = middles()).empty()) in_time = take(wanted);
    sample_.refined = in_time;
    return std::move(sample_);
  }

 private:
  // False where the time has run out.
  bool take(std::span<const Shape> shapes) {
    for (const Shape& shape : shapes) {
      if (seconds_() >= budget_.seconds) return false;
      seen_.insert(shape);
      std::vector<Measured> measured = measure_(shape);
      if (measured.empty()) continue;
      points_[shape] = points_of(measured).front();
      sample_.measured.insert(sample_.measured.end(), measured.begin(), measured.end());
      ++sample_.shapes;
    }
    return true;
  }

  // The widest gaps first: what the time does not suffice for then matters least.
  std::vector<Shape> middles() const {
    std::map<Shape, double> gaps;
    add_middles(&Shape::width, &Shape::rows, kColumnStep, gaps);
    add_middles(&Shape::rows, &Shape::width, 1, gaps);
    std::vector<std::pair<double, Shape>> ordered;
    for (const auto& [shape, ratio] : gaps) ordered.push_back({-ratio, shape});
    std::sort(ordered.begin(), ordered.end());
    std::vector<Shape> shapes;
    for (const auto& [ratio, shape] : ordered) shapes.push_back(shape);
    return shapes;
  }

  void add_middles(std::int64_t Shape::*axis, std::int64_t Shape::*other, std::int64_t step,
                   std::map<Shape, double>& gaps) const {
    std::map<std::pair<std::int64_t, std::int64_t>, std::map<std::int64_t, const Point*>> lines;
    for (const auto& [shape, point] : points_) lines[{shape.k, shape.*other}][shape.*axis] = &point;
    for (const auto& [line, along] : lines) {
      for (auto low = along.begin(), high = std::next(low); high != along.end(); low = high++) {
        const double ratio = static_cast<double>(high->first) / static_cast<double>(low->first);
        if (ratio < kLeastRatio) continue;
        if (!prefers_own(*low->second, *high->second) && !prefers_own(*high->second, *low->second)) continue;
        Shape middle = low->second->shape;
        const double exact = std::sqrt(static_cast<double>(low->first) * static_cast<double>(high->first));
        middle.*axis = std::llround(exact / static_cast<double>(step)) * step;
        if (middle.*axis <= low->first || middle.*axis >= high->first || seen_.count(middle) > 0) continue;
        gaps[middle] = std::max(gaps[middle], ratio);
      }
    }
  }

  const Budget& budget_;
  const Measure& measure_;
  const Seconds& seconds_;
  Sample sample_;
  std::set<Shape> seen_;
  std::map<Shape, Point> points_;
};

}  // namespace

std::vector<Shape> coarse_shapes(const Budget& budget) {
  const std::int64_t sms = budget.num_sms;
  const std::set<std::int64_t> rows = {1, 4, 16, sms / 4, sms / 2, sms, 2 * sms, 8 * sms};
  std::vector<Shape> shapes;
  const auto add = [&](std::int64_t r, std::int64_t width, std::int64_t k) {
    const Shape shape{r, width, k};
    if (r > 0 && score_bytes(shape) <= budget.max_score_bytes) shapes.push_back(shape);
  };
  for (const std::int64_t width : {16 * 1024, 64 * 1024, 4 * 1024, 256 * 1024}) {
    for (const std::int64_t k : {2048, 512}) {
      for (const std::int64_t r : rows) add(r, width, k);
    }
  }
  for (const std::int64_t width : {kLongWidth, 4 * kLongWidth}) {
    for (const std::int64_t r : {1, 4, 8}) add(r, width, 2048);
  }
  return shapes;
}

Sample sample_crossovers(const Budget& budget, const Measure& measure, const Seconds& seconds) {
  return Sampler(budget, measure, seconds).run();
}

}  // namespace keysieve::tune

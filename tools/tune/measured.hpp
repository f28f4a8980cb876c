// Times of forced routes: what crossovers are fitted to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "keysieve/types.hpp"

namespace keysieve::tune {

struct Shape {
  std::int64_t rows = 0;
  std::int64_t width = 0;
  std::int64_t k = 0;
  ScoreType score_type = ScoreType::kFloat32;

  friend auto operator<=>(const Shape&, const Shape&) = default;
};

// A way to serve a shape: what was decided, not what was asked for.
struct Way {
  Route route = Route::kAuto;
  std::int32_t split = 1;
  std::int32_t threads = 0;

  friend auto operator<=>(const Way&, const Way&) = default;
};

struct Measured {
  Shape shape;
  Way way;
  double median_us = 0;
  std::string variant;  // whatever else the times of one point share: slot order, lengths
};

struct Candidate {
  Way way;
  double us = 0;
};

// Everything that was measured of one shape, fastest first.
struct Point {
  Shape shape;
  std::string variant;
  std::vector<Candidate> candidates;

  double best_us() const { return candidates.front().us; }
  double worst_us() const { return candidates.back().us; }
};

// By shape and variant, in that order. Of a way that was measured twice the smaller time counts.
std::vector<Point> points_of(std::span<const Measured> measured);

// "split 4, 512 threads"
std::string describe(const Way& way);

}  // namespace keysieve::tune

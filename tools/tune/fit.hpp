// From measured times to crossovers. Pure host code: the planner itself says what each tuning would choose, so the fit
// has no second idea of what a threshold means.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plan/device_profile.hpp"
#include "tune/measured.hpp"

namespace keysieve::tune {

// What the planner chooses for a point, and its time there.
struct Choice {
  Way way;
  double us = 0;
  bool measured = false;  // else `us` is that of the slowest way: a fit never moves to what nobody has seen
};

Choice choose(const Point& point, const DeviceProfile& device);

// The points at which device.tuning chooses something that was measured; about the others the times say nothing.
std::vector<Point> comparable_points(std::span<const Point> points, const DeviceProfile& device);

// Mean of chosen time / best time over the points, geometric, less 1; 0 where every choice is the fastest.
double mean_loss(std::span<const Point> points, const DeviceProfile& device);

struct Fit {
  CudaTuning tuning;
  double loss_before = 0;  // of device.tuning
  double loss_after = 0;
};

// The tuning with the least loss, as close to device.tuning as the times allow: a threshold only moves where that gains
// more than noise, and then to a shape that was measured. Deterministic.
Fit fit_tuning(std::span<const Point> points, const DeviceProfile& device);

}  // namespace keysieve::tune

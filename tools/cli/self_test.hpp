// Small selections by every route that can run here (on the CPU and the first GPU), compared with the reference: ties,
// NaN, infinities, windows, lengths out of range, all modes, orders and types; on a GPU also graphs, hints, clusters of
// every size and a row of a million columns.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "cli/device_selection.hpp"
#include "doctor/self_test_report.hpp"
#include "keysieve/types.hpp"

namespace keysieve::cli {

// Cases start before the limit or not at all; one that has started is waited for.
class TimeLimit {
 public:
  explicit TimeLimit(double seconds) : start_(Clock::now()), limit_seconds_(seconds) {}

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  double limit_seconds() const { return limit_seconds_; }
  bool passed() const { return seconds() >= limit_seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
  double limit_seconds_;
};

struct TestTarget {
  Backend backend = Backend::kAuto;
  Route route = Route::kAuto;
  DeviceType device_type = DeviceType::kCpu;
  DeviceRunner* device = nullptr;  // null: on host memory, without graphs and hints
};

// All groups of cases that suit the target.
doctor::RouteReport test_route(const TestTarget& target, const TimeLimit& limit);

// Every route that can run here, the reference first. `step` hears the name of each route before it starts.
doctor::SelfTestReport run_self_test(double limit_seconds, const std::function<void(const std::string&)>& step);

}  // namespace keysieve::cli

// What a run of the benchmark was asked for.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/grid.hpp"

namespace keysieve::bench {

enum class TimerKind { kGraph, kEvents, kCupti, kHost };

const char* name_of(TimerKind timer);

inline constexpr int kMinSamples = 20;

struct Options {
  Backend backend = Backend::kAuto;                            // kAuto: cuda where there is a GPU, else cpu
  Grid grid;                                                   // empty: the backend's own
  std::vector<std::pair<const Axis*, std::string>> overrides;  // lists as typed, for every block of the grid
  std::string profile;                                         // --list: whose thresholds; empty: this machine's GPU
  TimerKind timer = TimerKind::kGraph;
  int samples = kMinSamples + 1;
  int check_rows = 8;
  double time_budget_s = 0;  // 0: none
  std::int64_t part = 1;
  std::int64_t parts = 1;
  std::vector<std::string> peers;
  std::string output;  // empty: stdout
  std::string revision;
  bool list = false;
};

// Puts the overrides into the grid. Throws cli::UsageError.
void apply_overrides(Options& options);

}  // namespace keysieve::bench

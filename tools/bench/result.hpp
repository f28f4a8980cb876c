// What a run measured.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/cell.hpp"
#include "bench/options.hpp"
#include "bench/timing.hpp"

namespace keysieve::bench {

inline constexpr const char* kKeysieve = "keysieve";

// The engine's own counters.
struct RowCounters {
  bool written = true;
  std::int64_t max_second_reads = 0;
  std::int64_t rows_with_second_read = 0;
  double mean_compactions = 0;
};

// One implementation in one cell.
struct CellResult {
  Cell cell;
  std::string implementation = kKeysieve;
  std::optional<SelectPlan> plan;  // keysieve only
  std::int64_t workspace_bytes = 0;
  TimerKind timer = TimerKind::kGraph;
  Timing first;
  Timing second;                    // the same work once more, after the floors
  std::optional<double> writer_us;  // chains: the writer alone; `first` and `second` are without it
  Timing read_floor;
  Timing floor;
  double launch_us = 0;
  double plan_host_us = 0;
  double run_host_us = 0;
  std::int64_t bytes = 0;
  int checked_rows = 0;
  int wrong_rows = 0;
  std::string fault;  // of the first wrong row
  std::optional<RowCounters> counters;

  double noise() const;
  bool is_wrong() const { return wrong_rows > 0 || (counters && !counters->written); }
};

struct UnmeasuredCell {
  Cell cell;
  std::string implementation = kKeysieve;
  std::string reason;
};

struct Report {
  nlohmann::ordered_json fingerprint;
  int samples = 0;
  std::map<Mode, double> launch_us;
  std::vector<CellResult> results;
  std::vector<UnmeasuredCell> refused;  // nobody can serve it, or it has no room on the device
  std::vector<UnmeasuredCell> failed;   // the call failed, the device lives
  std::vector<UnmeasuredCell> missing;  // the time budget or a fault of the device came first
  std::string error;                    // that fault
};

nlohmann::ordered_json to_json(const Cell& cell);
nlohmann::ordered_json to_json(const Report& report);

// revision, build, date and command; the device's own keys are the runner's.
nlohmann::ordered_json common_fingerprint(const Options& options, const char* device);

// Replaces options.output in one step, so that a report is whole whenever the run ends; without it: standard output.
void write_report(const Report& report, const Options& options);

// Lines for people: shape, floor, every implementation beside its ratio to the floor.
std::string result_table(const Report& report);

}  // namespace keysieve::bench

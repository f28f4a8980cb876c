// Two reports of the benchmark, cell by cell.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace keysieve::bench {

struct CompareOptions {
  std::string before, after;  // files
  double threshold = 0.05;
  bool json = false;
};

enum class Change { kSame, kFaster, kSlower, kWrong, kLost };

// A cell that is in both reports, or that the second one lost.
struct CellChange {
  nlohmann::ordered_json asked;
  Change change = Change::kSame;
  double before = 0;  // ratios to the floor
  double after = 0;
  double relative = 0;  // after / before - 1
  double limit = 0;     // what `relative` has to pass to be no noise
  std::string note;

  bool is_regression() const {
    return change == Change::kSlower || change == Change::kWrong || change == Change::kLost;
  }
};

struct Comparison {
  std::vector<CellChange> cells;
  std::size_t only_before = 0;  // not reached, or not asked for, in the second report
  std::size_t only_after = 0;
  std::vector<std::string> warnings;
};

// The reports are documents of schema keysieve.bench/1. A change counts where the ratio to the floor moved by more than
// `threshold` and by more than the noise of both cells together. Throws cli::UsageError for documents that are none,
// and where no cell is in both.
Comparison compare_reports(const nlohmann::ordered_json& before, const nlohmann::ordered_json& after, double threshold);

// Prints what moved. 1 where something got slower, wrong or lost.
int run_compare(const CompareOptions& options);

}  // namespace keysieve::bench

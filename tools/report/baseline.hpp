// Times of other implementations that were measured elsewhere, as a CSV file with the columns rows, width, k, mode,
// read_floor_us, best_us, best_impl and, where known, best_deterministic_us.
//
// Two machines are compared through their floors: (ours_us / our_read_floor_us) / (best_us / their_read_floor_us).
// Below 1 is faster. Times alone would compare memory clocks.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/run.hpp"

namespace keysieve::report {

struct BaselineEntry {
  double read_floor_us = kNotGiven;
  double best_us = kNotGiven, best_deterministic_us = kNotGiven;
  std::string best_name = {};
};

class Baseline {
 public:
  // Throws io::FileError naming line and column.
  static Baseline read(const std::string& path);

  const BaselineEntry* find(const Cell& cell) const;  // null for none
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::map<std::pair<std::string, Shape>, BaselineEntry> entries_;
};

struct BaselineCell {
  const Cell* cell = nullptr;
  const BaselineEntry* theirs = nullptr;
  double to_best = kNotGiven, to_deterministic = kNotGiven;
};

struct BaselineMean {
  std::int64_t k = 0;
  double to_best = kNotGiven, to_deterministic = kNotGiven;
  std::size_t cells = 0, deterministic_cells = 0, slower = 0;
};

struct BaselineComparison {
  std::vector<BaselineCell> cells;
  std::vector<BaselineMean> means;   // one a k
  std::vector<BaselineCell> slower;  // than the best, the slowest first
};

// The file holds plain selections of N(0,1) float32 scores, ragged rows, in a buffer as wide as the rows; a group that
// asks for anything else compares with nothing. The slot order may be any: the file does not know one.
BaselineComparison compare_with(const Baseline& baseline, const Group& group);
// One cell; both ratios not a number where the file does not know it.
BaselineCell compare_with(const Baseline& baseline, const Cell& cell);

}  // namespace keysieve::report

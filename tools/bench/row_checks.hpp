// Compares rows of a cell with the host's own answer, which it keeps as long as the scores stay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/judge.hpp"

namespace keysieve::bench {

class RowChecks {
 public:
  using ReadScores = std::function<std::vector<std::byte>(std::int64_t row, std::int64_t length)>;
  using ReadOutputs = std::function<RowOutputs(std::int64_t row)>;

  // New scores: what was known of the old ones is forgotten.
  void reset(ScoreType type, std::vector<std::int32_t> lengths, std::int64_t most_k, ReadScores read_scores);

  // Makes the host's answers for these rows that are not there yet, on several threads. The readers are called on this
  // one.
  void prepare_rows(const std::vector<std::int64_t>& rows);

  const std::vector<std::int32_t>& lengths() const { return lengths_; }

 private:
  friend class CellVerdict;

  ScoreType type_ = ScoreType::kFloat32;
  std::vector<std::int32_t> lengths_;
  std::int64_t most_k_ = 0;
  ReadScores read_scores_;
  std::map<std::int64_t, RowTruth> truths_;
};

// The verdict over one implementation in one cell; may look at its outputs several times.
class CellVerdict {
 public:
  CellVerdict(RowChecks& checks, const Cell& cell, const Promises& promises, int check_rows);

  void look(const RowChecks::ReadOutputs& read_outputs);

  int checked_rows() const { return static_cast<int>(judged_.size()); }
  int wrong_rows() const { return static_cast<int>(faults_.size()); }
  std::string first_fault() const { return faults_.empty() ? "" : faults_.begin()->second; }

 private:
  RowChecks& checks_;
  const Cell& cell_;
  Promises promises_;
  std::vector<std::int64_t> judged_;
  std::map<std::int64_t, std::vector<std::int32_t>> seen_;  // slots of the first look
  std::map<std::int64_t, std::string> faults_;
};

}  // namespace keysieve::bench

// One cell of the grid: checked against the host, then timed beside its floors.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device.hpp"
#include "graph_timer.hpp"
#include "kernels.hpp"
#include "keysieve/select.hpp"
#include "options.hpp"

namespace keysieve::bench {

struct Cell {
  std::int64_t rows = 0;
  std::int64_t width = 0;
  std::int64_t k = 0;
  ScoreType dtype = ScoreType::kFloat32;
  Distribution distribution = Distribution::kNormal;
  SlotOrder order = SlotOrder::kAny;
  Route route = Route::kAuto;
  std::int32_t split = kAuto;
  std::int32_t threads = kAuto;
  Mode mode = Mode::kWarm;
};

std::string describe(const Cell& cell);

struct CellResult {
  Cell cell;
  SelectPlan plan;
  Timing floor;
  int floor_shape = 0;
  Timing floor_rw;
  int floor_rw_shape = 0;
  Timing first;
  Timing second;  // the same graph once more, after the floor
  int checked_rows = 0;
  int wrong_rows = 0;
  std::string fault;  // of the first wrong row
  bool counters_written = true;
  std::int64_t max_second_reads = 0;
  std::int64_t rows_with_second_read = 0;
  double mean_compactions = 0;
};

// Bytes of the largest cell; everything is allocated once.
struct Sizes {
  std::int64_t rows = 0;
  std::int64_t score_bytes = 0;
  std::int64_t index_bytes = 0;
  std::int64_t workspace_bytes = 0;
};

// The row stride in elements: the width, rounded up to 16 bytes.
std::int64_t row_stride(std::int64_t width, ScoreType type);

class CellRunner {
 public:
  CellRunner(const Options& options, const Sizes& sizes, cudaStream_t stream);

  Timing launch_floor(Mode mode);

  // Scores of `rows` rows; cells of fewer rows use the first ones.
  void prepare_scores(std::int64_t rows, std::int64_t width, ScoreType type, Distribution distribution,
                      int log2_samples);

  CellResult run(const Cell& cell, const SelectPlan& plan);

 private:
  struct Floor {
    Timing timing;
    int shape = 0;
  };

  ScoreRows score_rows(std::int64_t rows) const;
  std::uint32_t read_sink();
  void check_floor_kernels(const ScoreRows& rows);
  Floor measure_floor(const ScoreRows& rows, Mode mode, std::int64_t k);
  const Floor& cached_read_floor(const ScoreRows& rows, Mode mode);
  void poison_outputs(const Cell& cell, const SelectPlan& plan);
  const std::vector<std::int32_t>& best_of_row(std::int64_t row, std::int64_t k);
  std::vector<std::int64_t> rows_to_check(std::int64_t rows) const;
  void judge_rows(const Cell& cell, std::map<std::int64_t, std::string>& faults);
  void read_counters(const Cell& cell, CellResult& result);

  const Options& options_;
  cudaStream_t stream_;
  GraphTimer timer_;
  DeviceBuffer scores_, indices_, lengths_, counters_, workspace_, sink_;
  std::int64_t index_bytes_;
  std::int64_t workspace_bytes_;

  ScoreRows prepared_;
  std::vector<std::int32_t> host_lengths_;
  std::map<std::pair<std::int64_t, Mode>, Floor> floors_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int32_t>> best_;
};

}  // namespace keysieve::bench

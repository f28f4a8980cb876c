// A device that cells are measured on.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/cell.hpp"
#include "bench/options.hpp"
#include "bench/result.hpp"
#include "bench/selector.hpp"

namespace keysieve::bench {

// Of the largest cell; everything is allocated once.
struct Sizes {
  std::int64_t rows = 0;
  std::int64_t score_bytes = 0;
  std::int64_t output_bytes = 0;
  std::int64_t workspace_bytes = 0;
  std::int64_t page_entries = 0;
  bool cold = false;  // some cell wants its caches emptied

  std::int64_t total_bytes() const {
    return rows * 32 + score_bytes + output_bytes + workspace_bytes + page_entries * 4;
  }
};

class Runner {
 public:
  virtual ~Runner() = default;

  virtual Backend backend() const = 0;
  virtual nlohmann::ordered_json fingerprint() = 0;  // with what was seen of the clocks so far
  virtual std::int64_t usable_bytes() const = 0;
  virtual std::string unmet_conditions(const Cell& cell) const = 0;  // what this device cannot do for a cell; or ""
  virtual void allocate(const Sizes& sizes) = 0;

  // An empty launch, the floor of floors.
  virtual double launch_us(Mode mode) = 0;

  // Scores of the cell's kind with `rows` rows; cells of fewer rows use the first ones. `most_k`: the largest k that
  // will be asked of them.
  virtual void prepare(const Cell& cell, std::int64_t rows, std::int64_t most_k, int log2_samples) = 0;

  // The result without the fields of the plan.
  virtual CellResult measure(const Cell& cell, Selector& selector) = 0;

  // After a failed call: whether others can still be made.
  virtual bool alive() = 0;

  // Starts anew the time after which a device that does not answer ends the process.
  virtual void begin_step(const std::string& what) = 0;
};

std::unique_ptr<Runner> make_cpu_runner(const Options& options, Backend backend);

// Empty where there is a GPU that keysieve runs on; else the reason.
std::string cuda_problem();
std::unique_ptr<Runner> make_cuda_runner(const Options& options);

// Rows of a call of `rows` that are compared with the host: first, last and some between.
std::vector<std::int64_t> rows_to_check(std::int64_t rows, int count);

// Live score bytes read once and outputs written once.
std::int64_t cell_bytes(const Cell& cell);

}  // namespace keysieve::bench

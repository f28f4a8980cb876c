// One run of the library over host memory: outputs, workspace, time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "keysieve/select.hpp"

namespace keysieve::cli {

// Outputs of some rows, tight: [rows, k].
struct Outputs {
  std::vector<std::byte> indices;
  std::vector<std::byte> raw_indices;  // mode dual, else empty
  std::vector<std::byte> values;       // where asked for, else empty
  std::vector<std::int32_t> counts;
  std::uint32_t error_word = 0;

  // Sizes the buffers and fills them with `poison`: a slot that a run leaves out then shows, in a check
  // against outputs of another poison, as a difference.
  void prepare(const SelectProblem& problem, bool want_values, std::byte poison);
};

class Runner {
 public:
  // Fills in the output and workspace fields of `args` and runs. Returns the seconds of the run alone.
  double run(const SelectPlan& plan, SelectArgs args, Outputs& outputs);

 private:
  std::unique_ptr<std::byte[]> workspace_;  // kept from batch to batch
  std::int64_t workspace_bytes_ = 0;
};

}  // namespace keysieve::cli

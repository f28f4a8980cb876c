#include "cli/selection.hpp"

#include <chrono>
#include <cstring>

namespace keysieve::cli {

void Outputs::prepare(const SelectProblem& problem, bool want_values, std::byte poison) {
  const auto slots = static_cast<std::size_t>(problem.rows * problem.k);
  const auto index_bytes = static_cast<std::size_t>(size_bytes(problem.index_type));
  indices.assign(slots * index_bytes, poison);
  raw_indices.assign(problem.mode == IndexMode::kDual ? slots * index_bytes : 0, poison);
  values.assign(want_values ? slots * static_cast<std::size_t>(size_bytes(problem.score_type)) : 0, poison);
  counts.resize(static_cast<std::size_t>(problem.rows));
  if (!counts.empty()) std::memset(counts.data(), std::to_integer<int>(poison), counts.size() * sizeof counts[0]);
  error_word = 0;
}

double Runner::run(const SelectPlan& plan, SelectArgs args, Outputs& outputs) {
  if (plan.workspace_bytes > workspace_bytes_) {
    workspace_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(plan.workspace_bytes));
    workspace_bytes_ = plan.workspace_bytes;
  }
  args.indices = outputs.indices.data();
  args.raw_indices = outputs.raw_indices.empty() ? nullptr : outputs.raw_indices.data();
  args.values = outputs.values.empty() ? nullptr : outputs.values.data();
  args.counts = outputs.counts.data();
  args.error_word = &outputs.error_word;
  args.workspace = workspace_.get();
  args.workspace_bytes = workspace_bytes_;
  const auto start = std::chrono::steady_clock::now();
  keysieve::run(plan, args);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace keysieve::cli

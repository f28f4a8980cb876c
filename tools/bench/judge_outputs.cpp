#include <algorithm>
#include <cstring>

#include "bench/judge.hpp"
#include "bench/slots.hpp"

namespace keysieve::bench {
namespace {

// Every value is the bit pattern of its column's score, and -inf past the last one.
std::string values_fault(const Cell& cell, const RowTruth& truth, std::span<const std::int32_t> columns,
                         const RowOutputs& outputs) {
  const auto bytes = static_cast<std::size_t>(size_bytes(cell.dtype));
  const std::uint32_t minus_inf = cell.dtype == ScoreType::kFloat32   ? 0xFF800000u
                                  : cell.dtype == ScoreType::kFloat16 ? 0xFC00u
                                                                      : 0xFF80u;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::uint32_t expected = minus_inf, got = 0;  // little endian: the low bytes
    if (columns[i] >= 0) {
      expected = 0;
      std::memcpy(&expected, truth.scores.data() + static_cast<std::size_t>(columns[i]) * bytes, bytes);
    }
    std::memcpy(&got, outputs.values.data() + i * bytes, bytes);
    if (expected != got) return "value of slot " + std::to_string(i) + " is not the score of its column";
  }
  return "";
}

}  // namespace

RowTruth make_truth(std::vector<std::byte> scores, ScoreType type, std::int64_t length, std::int64_t k) {
  RowTruth truth;
  truth.best = best_columns(scores.data(), type, length, k);
  truth.has_nan = holds_nan(scores.data(), type, length);
  truth.length = length;
  truth.scores = std::move(scores);
  return truth;
}

bool is_judged(const RowTruth& truth, const Promises& promises) {
  return promises.exact && (promises.nan_lowest || !truth.has_nan);
}

std::string outputs_fault(const Cell& cell, std::int64_t row, const RowTruth& truth, const RowOutputs& outputs,
                          const Promises& promises) {
  const std::vector<std::int32_t> columns = columns_of_slots(cell, row, outputs.slots);
  const auto count = std::min<std::size_t>(truth.best.size(), static_cast<std::size_t>(cell.k));
  const std::span<const std::int32_t> best(truth.best.data(), count);
  std::string fault = promises.ties_smallest
                          ? row_fault(columns, best, cell.order)
                          : multiset_fault(columns, best, truth.scores.data(), cell.dtype, truth.length);
  if (fault.empty() && cell.output == IndexMode::kDual && outputs.raw != columns) {
    fault = "raw_indices differ from the selection in indices";
  }
  if (fault.empty() && cell.values) fault = values_fault(cell, truth, columns, outputs);
  return fault;
}

}  // namespace keysieve::bench

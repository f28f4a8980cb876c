// Where a row is sampled: runs of columns, one from every equal part of the row at a hashed place inside it. A fixed
// stride would meet periodic rows, and independent places would leave gaps. The last run ends at the newest column.
// Pure functions, so that tests can build rows against them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/workspace_layout.hpp"

namespace keysieve::cpu {

// Two cache lines of FP32: single lines would cost twice the page walks, longer runs would say less about rows whose
// winners cluster.
inline constexpr std::int64_t kSampleRunColumns = 32;

// Columns of the sample of a row, a multiple of kBlockColumns.
constexpr std::int64_t sample_columns(std::int64_t length) {
  return std::min(std::max<std::int64_t>(length / 16, 512), kMaxSample) / kBlockColumns * kBlockColumns;
}

// First column of a run; `part` is length / num_runs, which the caller divides once.
constexpr std::int64_t sample_run_begin(std::int64_t run, std::int64_t num_runs, std::int64_t length,
                                        std::int64_t part) {
  if (run == num_runs - 1) return length - kSampleRunColumns;
  const auto places = static_cast<std::uint64_t>(part - kSampleRunColumns + 1);
  const std::uint64_t hash = static_cast<std::uint32_t>(run) * 0x9E3779B1u;
  return run * part + static_cast<std::int64_t>((hash * places) >> 32);
}

}  // namespace keysieve::cpu

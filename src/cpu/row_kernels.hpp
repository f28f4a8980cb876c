// The SIMD work of the CPU backend, one function table per run-time target (Highway). A row is a pointer to its
// first live column and a length; columns are counted from there.
#pragma once

#include <cstdint>

#include "cpu/candidate_buffer.hpp"
#include "keysieve/types.hpp"

namespace keysieve::cpu {

struct RowView {
  const void* scores = nullptr;
  std::int64_t length = 0;
  Key nan_key = kKeyNanLowest;
};

struct RowKernels {
  // A cutoff that probably leaves k and not many more columns of the row: the key of a sample rank set by the
  // binomial bound. `sample` holds kMaxSample keys. At least `floor`.
  Key (*first_cutoff)(const RowView& row, std::int64_t k, Key floor, std::uint32_t* sample);

  // Visits columns [begin, end), upwards or downwards, and takes every score at or above buffer.cutoff,
  // compacting when the buffer is full. Afterwards all candidates are keyed.
  void (*collect)(const RowView& row, std::int64_t begin, std::int64_t end, bool descending, CandidateBuffer& buffer);

  bool (*has_nan)(const RowView& row);
};

// Of one score type, on the target in use.
const RowKernels& row_kernels(ScoreType type);

// Reduces to the `buffer.keep` best, in visiting order, and raises the cutoff. All candidates are keyed.
void compact(CandidateBuffer& buffer);

const char* target_name();
const char* supported_targets();
bool force_target(const char* name);

}  // namespace keysieve::cpu

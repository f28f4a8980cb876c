// The crossovers between routes of the CUDA engine that measurements may move. They decide which route and how many
// CTAs serve a problem, never what the result is: every route is exact for every problem that it takes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace keysieve {

// The values here serve devices that nobody has measured; they were chosen on an H200 by hand.
struct CudaTuning {
  // Longest row of route tile: against route sieve, twice as much where policy_cuda.cpp says so; and where a row has an
  // SM to itself, or the CTAs of a cluster would share it.
  std::int64_t tile_max_bytes = 32 * 1024;
  std::int64_t tile_max_bytes_few_rows = 128 * 1024;
  std::int64_t split_min_columns = 4096;  // of a CTA's share; below, a cluster barrier costs more than it gains
  // CTAs that share rows take this part of the SMs, on long rows all of them.
  std::int64_t split_sm_percent = 50;
  std::int64_t split_long_row_columns = 128 * 1024;
  std::int64_t split_very_long_row_columns = 512 * 1024;  // from here 16 CTAs share a row, else 8
  std::int64_t wide_min_columns = 1 << 21;                // from here a cluster is too little for one row
  std::int64_t wide_max_rows = 8;
  // From here a sieve that has an SM for every row takes CTAs of 1024 threads.
  std::int64_t sieve_many_threads_columns = 64 * 1024;

  friend bool operator==(const CudaTuning&, const CudaTuning&) = default;
};

// A value by name, with the range in which every planner decision stays legal.
struct TuningField {
  const char* name;
  std::int64_t CudaTuning::*value;
  std::int64_t low;
  std::int64_t high;
};

inline constexpr std::int64_t kNeverColumns = 0x7FFFFFFF;  // above every width: the threshold is never reached

inline constexpr std::array kTuningFields = {
    TuningField{"tile_max_bytes", &CudaTuning::tile_max_bytes, 0, 1 << 20},
    TuningField{"tile_max_bytes_few_rows", &CudaTuning::tile_max_bytes_few_rows, 0, 1 << 20},
    TuningField{"split_min_columns", &CudaTuning::split_min_columns, 64, kNeverColumns},
    TuningField{"split_sm_percent", &CudaTuning::split_sm_percent, 1, 100},
    TuningField{"split_long_row_columns", &CudaTuning::split_long_row_columns, 0, kNeverColumns},
    TuningField{"split_very_long_row_columns", &CudaTuning::split_very_long_row_columns, 0, kNeverColumns},
    TuningField{"wide_min_columns", &CudaTuning::wide_min_columns, 1, kNeverColumns},
    TuningField{"wide_max_rows", &CudaTuning::wide_max_rows, 0, 1024},
    TuningField{"sieve_many_threads_columns", &CudaTuning::sieve_many_threads_columns, 0, kNeverColumns},
};

// Empty, or the first value that is out of range.
std::string tuning_fault(const CudaTuning& tuning);

// A table that is compiled in, for the device it was measured on.
struct BuiltInTuning {
  const char* name;  // also of the device profile that it serves
  const char* gpu;   // as the driver calls it
  std::int32_t compute_capability;
  std::int32_t num_sms;
  CudaTuning tuning;
};

}  // namespace keysieve

// Tuning files: what `keysieve tune` found on a device, read once when the device is prepared. A file that is missing,
// was written for something else or is damaged changes nothing; the reason is kept for `keysieve doctor`.
//
// Format keysieve.tuning/1, JSON: `key` (all of TuningKey), `values` (all of kTuningFields); other members are notes of
// the writer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plan/cuda_tuning.hpp"

namespace keysieve {

// What a crossover depends on. A file serves only where all of it is equal.
struct TuningKey {
  std::string library;  // version and revision: another one may have other kernels
  std::string gpu;
  std::int32_t compute_capability = 0;  // 90 for 9.0
  std::int32_t num_sms = 0;             // fewer on a slice of a GPU
  std::string toolkit;                  // that compiled the kernels, "13.0"
};

// The `library` of this build.
std::string tuning_library();

// nullptr: the variable is not set.
struct TuningEnvironment {
  const char* file = nullptr;        // KEYSIEVE_TUNING_FILE; "": no file is read
  const char* cache_home = nullptr;  // XDG_CACHE_HOME
  const char* home = nullptr;        // HOME
};

TuningEnvironment read_tuning_environment();

// Where the file of a device is; "" where there is none to be read.
std::string tuning_path(const TuningKey& key, const TuningEnvironment& environment);

struct LoadedTuning {
  TuningKey key;
  CudaTuning tuning;
  std::string source = "default";  // "default", "built-in NAME", "file"
  std::string path;                // of the file that was read or refused
  std::string problem;             // why a file was refused
};

// The file where it serves, else the built-in table, else the defaults. Does not throw over what a file contains.
LoadedTuning load_tuning(const TuningKey& key, const TuningEnvironment& environment);

// Empty, or why the text does not serve; `tuning` is then untouched.
std::string parse_tuning(std::string_view text, const TuningKey& key, CudaTuning& tuning);

}  // namespace keysieve

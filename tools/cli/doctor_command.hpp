#pragma once

#include <string>

namespace keysieve::cli {

struct DoctorOptions {
  bool json = false;
  std::string self_test_seconds = "5";
};

// Reports what this machine offers and tests every route that can run on it. Exit code 1 when the self-test
// fails or the CPU kernels cannot be loaded; a machine without a GPU is healthy.
int run_doctor(const DoctorOptions& options);

}  // namespace keysieve::cli

// Kernels that come from elsewhere than this program's own registration: loaded as libraries.
#pragma once

#include <string>

#include "cuda/kernel_table.hpp"

namespace keysieve::test {

struct LoadedKernels {
  cuda::KernelTable table;
  std::string source;
  std::string fault;  // what is missing, empty where the table is full
};

// From KEYSIEVE_GPU_KERNELS, a folder of cubins or fat binaries (scripts/cuda_report.py --keep makes one with any
// release of the compiler); where it is not set, from the fat binaries that the linker put into this program. Loaded
// once and never unloaded.
const LoadedKernels& loaded_kernels();

}  // namespace keysieve::test

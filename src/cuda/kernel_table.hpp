// The kernels of the engine as a table of handles. Tests put handles from elsewhere into it (binaries of another
// compiler, kernels that do nothing) and run the whole suite on them.
#pragma once

#include <array>
#include <cstddef>

#include "keysieve/types.hpp"
#include "launch/kernel_id.hpp"

namespace keysieve::cuda {

inline constexpr int kNumScoreTypes = 3;

// A handle is what cudaLaunchKernelExC takes: the address of a __global__ function or a cudaKernel_t.
struct KernelTable {
  std::array<std::array<const void*, kNumScoreTypes>, kNumKernels> handles{};

  const void*& at(KernelId id, ScoreType type) {
    return handles[static_cast<std::size_t>(id)][static_cast<std::size_t>(type)];
  }
  const void* at(KernelId id, ScoreType type) const {
    return handles[static_cast<std::size_t>(id)][static_cast<std::size_t>(type)];
  }
};

// The kernels that this library was built with.
KernelTable built_in_kernels();

}  // namespace keysieve::cuda

// Compilers of the device code with a passing record in results/: every CTA's output was right on a GPU.
#pragma once

#include "core/passing_compilers.hpp"

namespace keysieve {

constexpr bool has_passing_record(int major, int minor) {
  for (const CompilerVersion& compiler : kPassingCompilers) {
    if (compiler.major == major && compiler.minor == minor) return true;
  }
  return false;
}

}  // namespace keysieve

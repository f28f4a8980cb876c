// Compilers of the device code with a passing record in results/.
#pragma once

namespace keysieve {

// CUDA 13.0: results/h200/2026-11-30-gpu-suite.json.
constexpr bool has_passing_record(int major, int minor) { return major == 13 && minor == 0; }

}  // namespace keysieve

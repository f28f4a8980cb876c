// The written shapes of the compiler matrix: every switch point of the CUDA planner for an H200 from both sides, the
// shape in which compilers were first seen to lose the output of a cluster's other CTAs, and controls that no cluster
// touches.
#pragma once

#include <cstdint>
#include <vector>

#include "cases/select_case.hpp"

namespace keysieve::cases {

// No case asks for more; an audit that leaves out large cases has to allow this many.
inline constexpr std::int64_t kMaxToolchainScores = std::int64_t{1} << 23;

// In a fixed order, names unique: 160 shapes, each with k = 512, 1024 and 2048, and 80 cases of other k. Some 300
// million scores in all.
std::vector<SelectCase> toolchain_table();

}  // namespace keysieve::cases

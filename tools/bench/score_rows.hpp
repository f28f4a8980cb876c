// Rows of scores as the floors and the fills see them.
#pragma once

#include <cstdint>

#include "bench/distribution.hpp"
#include "keysieve/types.hpp"

namespace keysieve::bench {

// The stride is in elements and a multiple of 16 bytes, the base is aligned to 16.
struct ScoreRows {
  const void* scores = nullptr;
  const std::int32_t* lengths = nullptr;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  std::int64_t stride = 0;
  ScoreType type = ScoreType::kFloat32;
};

}  // namespace keysieve::bench

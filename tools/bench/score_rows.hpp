// Rows of scores as the floors and the fills see them.
#pragma once

#include <cstdint>

#include "bench/distribution.hpp"
#include "keysieve/types.hpp"

namespace keysieve::bench {

// A run of kLivePieceBytes of a row that has some live score in it.
struct LivePiece {
  std::uint32_t row;
  std::uint32_t piece;
};
inline constexpr std::int64_t kLivePieceBytes = 32 * 1024;

// The stride is in elements and a multiple of 16 bytes, the base is aligned to 16.
struct ScoreRows {
  const void* scores = nullptr;
  const std::int32_t* lengths = nullptr;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  std::int64_t stride = 0;
  ScoreType type = ScoreType::kFloat32;
  const LivePiece* live_pieces = nullptr;  // on the device, in the order of rows; for the floor that goes by them
  std::int64_t num_live_pieces = 0;
};

}  // namespace keysieve::bench

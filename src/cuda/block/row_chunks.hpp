// Where a row's scores come from: global memory, chunk by chunk. A chunk is kVectors vectors a lane; those that reach
// past the window ("edges": at most the first and the last) are kept apart, so that the loop over the rest needs no
// checks.
#pragma once

#include "cuda/block/limits.hpp"
#include "cuda/block/row_vectors.hpp"

namespace keysieve {

// A lane's part of a chunk.
template <int kVectors>
struct ChunkVectors {
  simt::Vector vectors[kVectors];
};

template <typename Format>
class GlobalRow {
 public:
  static constexpr int kVectorColumnCount = kVectorColumns<Format>;
  static constexpr int kVectors = kChunkColumns / simt::kWarpLanes / kVectorColumnCount;
  static constexpr int kLaneColumns = kVectors * kVectorColumnCount;
  static constexpr int kChunkVectors = kVectors * simt::kWarpLanes;
  static constexpr int kColumns = kLaneColumns * simt::kWarpLanes;
  static_assert(kColumns == kChunkColumns, "the planner spares a chunk a warp");

  KEYSIEVE_DEVICE explicit GlobalRow(const RowVectors<Format>& vectors) : vectors_(vectors) {}

  KEYSIEVE_DEVICE const RowVectors<Format>& vectors() const { return vectors_; }
  KEYSIEVE_DEVICE std::int32_t num_chunks() const {
    return (vectors_.num_vectors() + kChunkVectors - 1) / kChunkVectors;
  }
  // Chunks [first_inner, end_inner) lie wholly inside the window.
  KEYSIEVE_DEVICE std::int32_t first_inner() const { return vectors_.first_interior(); }
  // `zero`: simt::unknown(0) where the compiler would rather keep the result for long than work it out again.
  KEYSIEVE_DEVICE std::int32_t end_inner(std::int32_t zero = 0) const {
    const std::int32_t whole = (vectors_.end_interior() + zero) / kChunkVectors;
    return whole > first_inner() ? whole : first_inner();
  }

  // A column's number in its row of chunks: chunk, lane, column of the lane. Cheap to make, decoded later.
  KEYSIEVE_DEVICE static std::uint32_t first_code(std::int32_t chunk) {
    return static_cast<std::uint32_t>(chunk) * kColumns + static_cast<std::uint32_t>(simt::lane_index() * kLaneColumns);
  }
  KEYSIEVE_DEVICE std::uint32_t position_of_code(std::uint32_t code) const {
    if constexpr (kVectors > 1) {
      // chunk, lane, vector of the lane, column of the vector -> chunk, vector, lane, column
      const std::uint32_t lane = code / kLaneColumns % simt::kWarpLanes;
      const std::uint32_t vector = code / kVectorColumnCount % kVectors;
      code = (code & ~static_cast<std::uint32_t>(kColumns - 1)) | (code % kVectorColumnCount) |
             (lane * kVectorColumnCount) | (vector * (kVectorColumnCount * simt::kWarpLanes));
    }
    return code - static_cast<std::uint32_t>(vectors_.lead());
  }
  KEYSIEVE_DEVICE std::int32_t chunk_of_position(std::int64_t position) const {
    return vectors_.vector_of(position) / kChunkVectors;
  }

  KEYSIEVE_DEVICE ChunkVectors<kVectors> load_inner(std::int32_t chunk) const {
    const char* at =
        vectors_.aligned_base() + static_cast<std::int64_t>(chunk) * (kChunkVectors * 16) + simt::lane_index() * 16;
    ChunkVectors<kVectors> lane;
    KEYSIEVE_UNROLL
    for (int i = 0; i < kVectors; ++i) lane.vectors[i] = simt::load_streaming(at + i * simt::kWarpLanes * 16);
    return lane;
  }
  KEYSIEVE_DEVICE simt::Vector load_interior(std::int32_t vector) const { return vectors_.load_interior(vector); }
  // Only live columns are read; the others are 0.
  KEYSIEVE_DEVICE simt::Vector load(std::int32_t vector) const { return vectors_.load(vector); }

 private:
  RowVectors<Format> vectors_;
};

}  // namespace keysieve

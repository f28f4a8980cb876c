// Where a row's scores come from, chunk by chunk: from global memory, or from a copy in shared memory. A chunk is
// kVectors vectors a lane; those that reach past the window ("edges": at most the first and the last) are kept apart,
// so that the loop over the rest needs no checks.
#pragma once

#include "cuda/block/limits.hpp"
#include "cuda/block/row_vectors.hpp"

namespace keysieve {

// A lane's part of a chunk.
template <int kVectors>
struct ChunkVectors {
  simt::Vector vectors[kVectors];
};

// What the two kinds of rows share.
template <typename Format, int kVectorsPerLane>
class RowChunks {
 public:
  static constexpr int kVectors = kVectorsPerLane;
  static constexpr int kVectorColumnCount = kVectorColumns<Format>;
  static constexpr int kLaneColumns = kVectors * kVectorColumnCount;
  static constexpr int kChunkVectors = kVectors * simt::kWarpLanes;
  static constexpr int kColumns = kLaneColumns * simt::kWarpLanes;

  KEYSIEVE_DEVICE explicit RowChunks(const RowVectors<Format>& vectors) : vectors_(vectors) {}

  KEYSIEVE_DEVICE const RowVectors<Format>& vectors() const { return vectors_; }
  KEYSIEVE_DEVICE std::int32_t num_chunks() const {
    return (vectors_.num_vectors() + kChunkVectors - 1) / kChunkVectors;
  }
  // Chunks [first_inner, end_inner) lie wholly inside the window.
  KEYSIEVE_DEVICE std::int32_t first_inner() const { return vectors_.position(0) < 0 ? 1 : 0; }
  KEYSIEVE_DEVICE std::int32_t end_inner() const {
    const auto whole =
        static_cast<std::int32_t>((static_cast<std::int64_t>(vectors_.length()) - vectors_.position(0)) / kColumns);
    return whole > first_inner() ? whole : first_inner();
  }

  // A column's number in its row of chunks: chunk, lane, column of the lane. Cheap to make, decoded later.
  KEYSIEVE_DEVICE static std::uint32_t first_code(std::int32_t chunk) {
    return static_cast<std::uint32_t>(chunk) * kColumns + static_cast<std::uint32_t>(simt::lane_index() * kLaneColumns);
  }
  KEYSIEVE_DEVICE std::int64_t position_of_code(std::uint32_t code) const {
    if constexpr (kVectors == 1) {
      return static_cast<std::int64_t>(code) + vectors_.position(0);
    } else {
      const auto chunk = static_cast<std::int32_t>(code / kColumns);
      const auto lane = static_cast<std::int32_t>(code / kLaneColumns % simt::kWarpLanes);
      const auto column = static_cast<std::int32_t>(code % kLaneColumns);
      const std::int32_t vector = chunk * kChunkVectors + column / kVectorColumnCount * simt::kWarpLanes + lane;
      return vectors_.position(vector) + column % kVectorColumnCount;
    }
  }
  KEYSIEVE_DEVICE std::int32_t chunk_of_position(std::int64_t position) const {
    return vectors_.vector_of(position) / kChunkVectors;
  }

 protected:
  RowVectors<Format> vectors_;
};

template <typename Format>
class GlobalRow : public RowChunks<Format, kChunkColumns / simt::kWarpLanes / kVectorColumns<Format>> {
 public:
  using Base = RowChunks<Format, kChunkColumns / simt::kWarpLanes / kVectorColumns<Format>>;

  KEYSIEVE_DEVICE explicit GlobalRow(const RowVectors<Format>& vectors)
      : Base(vectors), lane_base_(vectors.aligned_base() + simt::lane_index() * 16) {}

  KEYSIEVE_DEVICE ChunkVectors<Base::kVectors> load_inner(std::int32_t chunk) const {
    const char* at = lane_base_ + static_cast<std::int64_t>(chunk) * (Base::kChunkVectors * 16);
    ChunkVectors<Base::kVectors> lane;
    KEYSIEVE_UNROLL
    for (int i = 0; i < Base::kVectors; ++i) lane.vectors[i] = simt::load_streaming(at + i * simt::kWarpLanes * 16);
    return lane;
  }
  // Only live columns are read; the others are 0.
  KEYSIEVE_DEVICE simt::Vector load(std::int32_t vector) const { return this->vectors_.load(vector); }

 private:
  static_assert(Base::kColumns == kChunkColumns, "the planner spares a chunk a warp");
  const char* lane_base_;
};

template <typename Format>
class TileRow : public RowChunks<Format, 1> {
 public:
  using Base = RowChunks<Format, 1>;

  KEYSIEVE_DEVICE TileRow(const RowVectors<Format>& vectors, const simt::Vector* tile) : Base(vectors), tile_(tile) {}

  KEYSIEVE_DEVICE ChunkVectors<1> load_inner(std::int32_t chunk) const {
    return {{tile_[chunk * Base::kChunkVectors + simt::lane_index()]}};
  }
  KEYSIEVE_DEVICE simt::Vector load(std::int32_t vector) const {
    return vector < this->vectors_.num_vectors() ? tile_[vector] : simt::Vector{};
  }
  KEYSIEVE_DEVICE typename Format::Bits bits_of_code(std::uint32_t code) const {
    return reinterpret_cast<const typename Format::Bits*>(tile_)[code];
  }

 private:
  static_assert(Base::kColumns == tile_chunk_columns(Format::kWidth / 8), "the planner spares a chunk a warp");
  const simt::Vector* tile_;
};

}  // namespace keysieve

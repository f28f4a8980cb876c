// A row in the registers of a block. A warp has a run of neighbouring columns, kVectors times 32 vectors of 16 bytes;
// a thread has every 32nd vector of its warp's run. One bit a column tells what has become of it.
#pragma once

#include <cstdint>

#include "cuda/block/limits.hpp"
#include "cuda/block/score_format.hpp"

namespace keysieve {

// Columns of a thread, bit i the i-th of them: those of its first vector, then those of the second.
using ColumnMask = std::uint32_t;

// kThreadColumns: 16 or 32. The row lies in registers only where every index of a vector or column is a constant, so
// loops over them are unrolled.
template <typename FormatOfScores, int kThreadColumns>
class RegisterRow {
 public:
  using Format = FormatOfScores;
  using Bits = typename Format::Bits;
  static constexpr int kVectorColumnCount = kVectorColumns<Format>;
  static constexpr int kVectors = kThreadColumns / kVectorColumnCount;
  static constexpr int kColumns = kThreadColumns;
  static_assert(kThreadColumns <= 32 && kVectors >= 1);

  // `team_thread`: number of the thread in its team (team.hpp), all of the first block's being in front of the
  // second's.
  KEYSIEVE_DEVICE explicit RegisterRow(std::int32_t team_thread)
      : first_((team_thread / simt::kWarpLanes * kVectors * simt::kWarpLanes + simt::lane_index()) *
               kVectorColumnCount) {}

  // Columns [0, length) of `window`; the others are dead: NaN, which no comparison with a number takes.
  KEYSIEVE_DEVICE void load(const Bits* window, std::int32_t length) {
    // The warp's first column lies at a multiple of 16 bytes where the window does.
    const bool aligned = reinterpret_cast<std::uintptr_t>(window) % 16 == 0;
    KEYSIEVE_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const std::int32_t first = first_column(v);
      if (aligned && first + kVectorColumnCount <= length) {
        vectors_[v] = simt::load_streaming(window + first);
      } else {
        vectors_[v] = simt::Vector{kDead, kDead, kDead, kDead};
      }
    }
    if (aligned && length % kVectorColumnCount == 0) return;
    KEYSIEVE_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const std::int32_t first = first_column(v);
      if (first >= length || (aligned && first + kVectorColumnCount <= length)) continue;
      KEYSIEVE_UNROLL
      for (int c = 0; c < kVectorColumnCount; ++c) {
        if (first + c < length) set_bits(v, c, window[first + c]);
      }
    }
  }

  // Those in front of `length`.
  KEYSIEVE_DEVICE ColumnMask live_columns(std::int32_t length) const {
    if (simt::warp_all(first_column(kVectors - 1) + kVectorColumnCount <= length)) return kAllColumns;
    ColumnMask live = 0;
    KEYSIEVE_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const std::int32_t left = length - first_column(v);
      const std::int32_t count = left < 0 ? 0 : (left < kVectorColumnCount ? left : kVectorColumnCount);
      live |= ((1u << count) - 1) << (v * kVectorColumnCount);
    }
    return live;
  }

  // Columns that `mask` leaves out die.
  KEYSIEVE_DEVICE void keep(ColumnMask mask) {
    KEYSIEVE_UNROLL
    for (int i = 0; i < kColumns; ++i) {
      if ((mask >> i & 1) == 0) set_bits(i / kVectorColumnCount, i % kVectorColumnCount, static_cast<Bits>(kDead));
    }
  }

  // The columns whose bits make `test` true. A dead one is like a NaN.
  template <typename Test>
  KEYSIEVE_DEVICE ColumnMask columns_where(const Test& test) const {
    ColumnMask mask = 0;
    KEYSIEVE_UNROLL
    for (int i = 0; i < kColumns; ++i) {
      if (test(bits(i))) mask |= 1u << i;
    }
    return mask;
  }

  // Of column `i` (a constant after unrolling) of this thread.
  KEYSIEVE_DEVICE Bits bits(int i) const {
    return column_bits<Format>(vectors_[i / kVectorColumnCount], i % kVectorColumnCount);
  }
  KEYSIEVE_DEVICE float value(int i) const { return score_value<Format>(bits(i)); }
  KEYSIEVE_DEVICE const simt::Vector& vector(int v) const { return vectors_[v]; }

  KEYSIEVE_DEVICE std::int32_t position(int i) const {
    return first_column(i / kVectorColumnCount) + i % kVectorColumnCount;
  }
  // The first column of vector `v` of this thread.
  KEYSIEVE_DEVICE std::int32_t first_column(int v) const { return first_ + v * kVectorStride; }
  // The thread of the team that has a column, and the column's bit there.
  KEYSIEVE_DEVICE static std::int32_t thread_of(std::int32_t position) {
    const std::int32_t vector = position / kVectorColumnCount;
    return vector / (simt::kWarpLanes * kVectors) * simt::kWarpLanes + vector % simt::kWarpLanes;
  }
  KEYSIEVE_DEVICE static ColumnMask bit_of(std::int32_t position) {
    const std::int32_t v = position / kVectorStride % kVectors;
    return 1u << (v * kVectorColumnCount + position % kVectorColumnCount);
  }

 private:
  static constexpr std::uint32_t kDead = 0xFFFFFFFFu;  // a NaN in every format
  static constexpr ColumnMask kAllColumns = static_cast<ColumnMask>((std::uint64_t{1} << kColumns) - 1);
  static constexpr std::int32_t kVectorStride = simt::kWarpLanes * kVectorColumnCount;

  KEYSIEVE_DEVICE void set_bits(int v, int c, Bits bits) {
    if constexpr (Format::kWidth == 32) {
      vectors_[v].words[c] = bits;
    } else {
      const std::uint32_t shift = 16 * static_cast<std::uint32_t>(c % 2);
      std::uint32_t& word = vectors_[v].words[c / 2];
      word = (word & ~(0xFFFFu << shift)) | (static_cast<std::uint32_t>(bits) << shift);
    }
  }

  simt::Vector vectors_[kVectors];
  std::int32_t first_;
};

}  // namespace keysieve

// A row's live window as a grid of 16-byte vectors aligned in memory. The first and the last vector may reach past
// the window; their other columns are never taken, and never loaded either: they may lie outside the buffer.
#pragma once

#include <cstdint>

#include "cuda/block/score_format.hpp"

namespace keysieve {

template <typename Format>
class RowVectors {
 public:
  using Bits = typename Format::Bits;
  static constexpr int kColumns = kVectorColumns<Format>;

  // `window`: the first live column; `length` >= 0.
  KEYSIEVE_DEVICE RowVectors(const Bits* window, std::int64_t length)
      : length_(static_cast<std::int32_t>(length)),
        lead_(static_cast<std::int32_t>((reinterpret_cast<std::uintptr_t>(window) / sizeof(Bits)) % kColumns)),
        base_(window - lead_) {}

  // The 16-byte boundary at or before the window: the first vector.
  KEYSIEVE_DEVICE const char* aligned_base() const { return reinterpret_cast<const char*>(base_); }
  KEYSIEVE_DEVICE std::int32_t length() const { return length_; }
  KEYSIEVE_DEVICE std::int32_t lead() const { return lead_; }
  // Not kept: a register more in the loop over the row would cost a spill.
  KEYSIEVE_DEVICE std::int32_t num_vectors() const {
    return static_cast<std::int32_t>((end_column() + kColumns - 1) / kColumns);
  }
  // Position of a vector's first column inside the window; below 0 or past the end in the outer vectors. In 64 bits:
  // the last vector of the longest row ends past 2^31.
  KEYSIEVE_DEVICE std::int64_t position(std::int32_t vector) const {
    return static_cast<std::int64_t>(vector) * kColumns - lead_;
  }
  KEYSIEVE_DEVICE std::int32_t vector_of(std::int64_t position) const {
    return static_cast<std::int32_t>((position + lead_) / kColumns);
  }

  // 1 where a vector is the second one of a sector of memory, 32 bytes; else 0.
  KEYSIEVE_DEVICE std::int32_t place_in_sector(std::int32_t vector) const {
    return static_cast<std::int32_t>(
        (reinterpret_cast<std::uintptr_t>(base_) / 16 + static_cast<std::uint32_t>(vector)) % 2);
  }

  // Whether vectors [first, end) lie wholly inside the window.
  KEYSIEVE_DEVICE bool is_interior(std::int32_t first, std::int32_t end) const {
    return first >= first_interior() && end <= end_interior();
  }
  // Those that do: [first_interior, end_interior), none of them where the second is not above the first.
  KEYSIEVE_DEVICE std::int32_t first_interior() const { return lead_ != 0 ? 1 : 0; }
  KEYSIEVE_DEVICE std::int32_t end_interior() const { return static_cast<std::int32_t>(end_column() / kColumns); }

  // Bit c: column c of the vector is live. Vectors past the end have none.
  KEYSIEVE_DEVICE std::uint32_t live_columns(std::int32_t vector) const {
    if (is_interior(vector, vector + 1)) return (1u << kColumns) - 1;
    const std::int64_t first = position(vector);
    std::uint32_t mask = 0;
    KEYSIEVE_UNROLL
    for (int column = 0; column < kColumns; ++column) {
      mask |= (first + column >= 0 && first + column < length_ ? 1u : 0u) << column;
    }
    return mask;
  }

  KEYSIEVE_DEVICE const Bits* interior(std::int32_t vector) const {
    return base_ + static_cast<std::int64_t>(vector) * kColumns;
  }
  KEYSIEVE_DEVICE simt::Vector load_interior(std::int32_t vector) const {
    return simt::load_streaming(interior(vector));
  }

  // Only live columns are read; the others are 0.
  KEYSIEVE_DEVICE simt::Vector load(std::int32_t vector) const {
    return is_interior(vector, vector + 1) ? load_interior(vector) : load_live(vector);
  }

 private:
  // Columns from the 16-byte boundary before the window to its end: unsigned, as the longest row ends past 2^31.
  KEYSIEVE_DEVICE std::uint32_t end_column() const {
    return static_cast<std::uint32_t>(length_) + static_cast<std::uint32_t>(lead_);
  }

  KEYSIEVE_DEVICE simt::Vector load_live(std::int32_t vector) const {
    constexpr int kWordColumns = 32 / Format::kWidth;
    simt::Vector result{};
    const std::int64_t first = position(vector);
    KEYSIEVE_UNROLL
    for (int column = 0; column < kColumns; ++column) {
      const bool live = first + column >= 0 && first + column < length_;
      const std::uint32_t bits = live ? interior(vector)[column] : Bits{0};
      result.words[column / kWordColumns] |= bits << (Format::kWidth * (column % kWordColumns));
    }
    return result;
  }

  std::int32_t length_;
  std::int32_t lead_;  // columns between the 16-byte boundary before the window and its first column
  const Bits* base_;
};

}  // namespace keysieve

// One selected position turned into one output slot: the index transforms of the contract.
// Used by the CPU and CUDA backends and by the transform alone; the reference has its own, written apart on purpose.
#pragma once

#include <cstdint>

#include "core/host_device.hpp"
#include "keysieve/types.hpp"

namespace keysieve {

inline constexpr std::int64_t kNoSlot = -1;
inline constexpr std::int64_t kMaxSlotInt32 = 0x7FFFFFFF;

// A result that the output type cannot hold becomes -1 and is flagged; it is never wrapped.
template <typename Index>
KEYSIEVE_HOST_DEVICE Index narrow_slot(std::int64_t slot, std::uint32_t& error_bits) {
  if constexpr (sizeof(Index) < sizeof(std::int64_t)) {
    if (slot > kMaxSlotInt32) {
      error_bits |= kErrorIndexOverflow;
      return static_cast<Index>(kNoSlot);
    }
  }
  return static_cast<Index>(slot);
}

// One row's line of a page table.
class PageLine {
 public:
  // line outside [0, table_rows): every page of the row is bad.
  KEYSIEVE_HOST_DEVICE PageLine(const std::int32_t* table, std::int64_t table_rows, std::int64_t columns,
                                std::int64_t row_stride, std::int64_t page_size, std::int64_t num_pages,
                                std::int64_t line)
      : page_size_(page_size), num_pages_(num_pages == kAuto ? INT64_MAX : num_pages) {
    if (line >= 0 && line < table_rows) {
      pages_ = table + line * row_stride;
      columns_ = columns;
    }
    const bool power_of_two = (page_size & (page_size - 1)) == 0;
    if (power_of_two) {
      shift_ = 0;
      while ((std::int64_t{1} << shift_) < page_size) ++shift_;
    }
  }

  KEYSIEVE_HOST_DEVICE std::int64_t slot(std::int64_t position, std::uint32_t& error_bits) const {
    const std::int64_t column = shift_ >= 0 ? position >> shift_ : divide(position);
    const std::int64_t page = column < columns_ ? pages_[column] : -1;
    if (page < 0 || page >= num_pages_) {
      error_bits |= kErrorBadPage;
      return kNoSlot;
    }
    return page * page_size_ + (position - column * page_size_);
  }

 private:
  // Selected positions and page sizes are below 2^31, and a 32-bit division is several times cheaper on a GPU. Only a
  // caller's own int64 positions can be larger.
  KEYSIEVE_HOST_DEVICE std::int64_t divide(std::int64_t position) const {
    if ((position >> 32) != 0) return position / page_size_;
    return static_cast<std::uint32_t>(position) / static_cast<std::uint32_t>(page_size_);
  }

  const std::int32_t* pages_ = nullptr;
  std::int64_t columns_ = 0;
  std::int64_t page_size_;
  std::int64_t num_pages_;
  int shift_ = -1;
};

}  // namespace keysieve

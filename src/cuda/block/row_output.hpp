// One row's outputs: positions become slots, by the index transforms of the contract.
#pragma once

#include "core/row_geometry.hpp"
#include "core/slot.hpp"
#include "cuda/block/block.hpp"

namespace keysieve {

// The first live column.
template <typename Format>
KEYSIEVE_DEVICE const typename Format::Bits* window_of(const SelectKernelArgs& args, std::int64_t row,
                                                       const RowGeometry& geometry) {
  return static_cast<const typename Format::Bits*>(args.args.scores) + row * args.args.score_row_stride +
         geometry.start;
}

// Where the positions of row `row` go, if they are stored as they are, in 32 bits, and nothing else is; else nullptr.
KEYSIEVE_DEVICE std::int32_t* plain_indices(const SelectKernelArgs& args, std::int64_t row) {
  const bool plain = args.problem.mode == IndexMode::kRaw && args.problem.index_type == IndexType::kInt32 &&
                     args.args.values == nullptr;
  return plain ? static_cast<std::int32_t*>(args.args.indices) + row * args.args.indices_row_stride : nullptr;
}

// One thread.
KEYSIEVE_DEVICE void write_counters(const SelectKernelArgs& args, std::int64_t row, std::uint32_t second_reads,
                                    std::uint32_t compactions) {
  if (args.args.row_counters == nullptr) return;
  args.args.row_counters[2 * row] = static_cast<std::int32_t>(second_reads);
  args.args.row_counters[2 * row + 1] = static_cast<std::int32_t>(compactions);
}

// Positions in 32 bits, and nothing else: one store a slot.
struct PlainSlots {
  std::int32_t* indices;

  KEYSIEVE_DEVICE void put(std::int32_t slot, std::int64_t position) {
    indices[slot] = static_cast<std::int32_t>(position);
  }
};

// All threads: slots from `count` on are empty; then the row's count and error bits.
KEYSIEVE_DEVICE void finish_plain(const SelectKernelArgs& args, std::int64_t row, const PlainSlots& slots,
                                  std::int32_t count, std::uint32_t error_bits) {
  KEYSIEVE_NO_UNROLL
  for (std::int32_t slot = count + simt::thread_index(); slot < static_cast<std::int32_t>(args.problem.k);
       slot += simt::block_threads()) {
    slots.indices[slot] = static_cast<std::int32_t>(kNoSlot);
  }
  if (simt::thread_index() != 0) return;
  if (args.args.counts != nullptr) args.args.counts[row] = count;
  if (error_bits != 0 && args.args.error_word != nullptr) simt::atomic_or(args.args.error_word, error_bits);
}

template <typename Format>
class RowOutput {
 public:
  using Bits = typename Format::Bits;

  KEYSIEVE_DEVICE RowOutput(const SelectKernelArgs& args, std::int64_t row, const RowGeometry& geometry)
      : problem_(args.problem),
        args_(args.args),
        row_(row),
        window_(window_of<Format>(args, row, geometry)),
        offset_(args.problem.mode == IndexMode::kOffset ? args.args.out_offsets[row] : 0),
        pages_(args.args.page_table, args.args.page_table_rows, args.args.page_table_columns,
               args.args.page_table_row_stride, args.args.page_size, args.args.num_pages, geometry.table_line),
        errors_(geometry.error_bits) {}

  // Slot `slot` holds the column at `position`.
  KEYSIEVE_DEVICE void put(std::int32_t slot, std::int64_t position) {
    std::int64_t value = position;
    if (problem_.mode == IndexMode::kOffset) {
      value = position + offset_;
    } else if (problem_.mode != IndexMode::kRaw) {
      value = pages_.slot(position, errors_);
    }
    store_index(args_.indices, args_.indices_row_stride, slot, value);
    if (args_.raw_indices != nullptr) store_index(args_.raw_indices, args_.raw_indices_row_stride, slot, position);
    if (args_.values != nullptr) values()[slot] = window_[position];
  }

  // All threads: slots from `first` on are empty; then the row's count and error bits.
  KEYSIEVE_DEVICE void finish(std::int32_t first) {
    fill_up(first);
    report_errors();
  }
  KEYSIEVE_DEVICE void fill_up(std::int32_t first) {
    KEYSIEVE_NO_UNROLL
    for (std::int64_t slot = first + simt::thread_index(); slot < problem_.k; slot += simt::block_threads()) {
      store_index(args_.indices, args_.indices_row_stride, slot, kNoSlot);
      if (args_.raw_indices != nullptr) store_index(args_.raw_indices, args_.raw_indices_row_stride, slot, kNoSlot);
      if (args_.values != nullptr) values()[slot] = static_cast<Bits>(Format::kSignMask | Format::kInfinity);
    }
    if (simt::thread_index() == 0 && args_.counts != nullptr) args_.counts[row_] = first;
  }
  KEYSIEVE_DEVICE void report_errors() {
    if (errors_ != 0 && args_.error_word != nullptr) simt::atomic_or(args_.error_word, errors_);
  }

  KEYSIEVE_DEVICE void report(std::uint32_t error_bits) { errors_ |= error_bits; }

 private:
  KEYSIEVE_DEVICE Bits* values() const { return static_cast<Bits*>(args_.values) + row_ * args_.values_row_stride; }

  KEYSIEVE_DEVICE void store_index(void* base, std::int64_t row_stride, std::int64_t slot, std::int64_t value) {
    const std::int64_t at = row_ * row_stride + slot;
    if (problem_.index_type == IndexType::kInt32) {
      static_cast<std::int32_t*>(base)[at] = narrow_slot<std::int32_t>(value, errors_);
    } else {
      static_cast<std::int64_t*>(base)[at] = value;
    }
  }

  const SelectProblem& problem_;
  const SelectArgs& args_;
  std::int64_t row_;
  const Bits* window_;
  std::int64_t offset_;
  PageLine pages_;
  std::uint32_t errors_;
};

}  // namespace keysieve

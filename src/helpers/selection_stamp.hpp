// Selection stamp (kernels.h): what a selection was made for, in 64 bits a row.
#pragma once

#include "core/host_device.hpp"
#include "operation/operation.hpp"

namespace keysieve {

struct SelectionStampParams {
  const std::int32_t* lengths;
  const std::int32_t* page_table;  // null: none
  std::int64_t table_lines;
  std::int64_t table_columns;
  std::int64_t table_row_stride;
  const std::int32_t* row_to_table;  // null: none
  const std::uint64_t* expected;     // null: stamps are written
  std::uint64_t* stamps;
  std::int64_t rows;
  std::int64_t page_size;
  std::int32_t next_n;
  std::uint32_t* error_word;
  std::int32_t row_is_block;  // 0: a warp takes a row
  std::int32_t vectors_fit;   // lines of the page table begin at 16-byte addresses
};

KEYSIEVE_HOST_DEVICE inline std::uint64_t mix_of(std::int32_t value, std::int64_t column) {
  std::uint64_t x =
      static_cast<std::uint64_t>(static_cast<std::uint32_t>(value)) << 32 | static_cast<std::uint32_t>(column);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// A row's part of the table.
struct StampedRow {
  std::int64_t length;
  std::int64_t pages;  // live ones
  std::int64_t line;

  KEYSIEVE_HOST_DEVICE StampedRow(const SelectionStampParams& params, std::int64_t row)
      : length(params.lengths[row] < 0 ? 0 : params.lengths[row]), pages(0), line(row) {
    if (params.page_table == nullptr) return;
    // In 32 bits, which a GPU divides several times faster: lengths and page sizes are below 2^31.
    pages = (static_cast<std::uint32_t>(length) + static_cast<std::uint32_t>(params.page_size) - 1) /
            static_cast<std::uint32_t>(params.page_size);
    if (params.row_to_table != nullptr) {
      line = params.row_to_table[row];
    } else if (params.table_lines != params.rows) {
      line = (row >> 31) == 0 ? static_cast<std::uint32_t>(row) / static_cast<std::uint32_t>(params.next_n)
                              : row / params.next_n;
    }
  }
  KEYSIEVE_HOST_DEVICE std::uint64_t of_length() const { return mix_of(static_cast<std::int32_t>(length), -1); }
  // Entries from the line's first on that are live; columns past them count as -1.
  KEYSIEVE_HOST_DEVICE std::int64_t entries(const SelectionStampParams& params) const {
    if (line < 0 || line >= params.table_lines) return 0;
    return pages < params.table_columns ? pages : params.table_columns;
  }
  KEYSIEVE_HOST_DEVICE std::uint64_t of_page(const SelectionStampParams& params, std::int64_t column) const {
    const bool there = line >= 0 && line < params.table_lines && column < params.table_columns;
    return mix_of(there ? params.page_table[line * params.table_row_stride + column] : -1, column);
  }
};

struct SelectionStamp {
  using Args = keysieve_selection_stamp_args;
  using Params = SelectionStampParams;
  static constexpr OperationId kId = OperationId::kSelectionStamp;

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("lengths", args.lengths, Access::kRead);
    visit("page_table", args.page_table, Access::kRead);
    visit("row_to_table", args.row_to_table, Access::kRead);
    visit("expected", args.expected, Access::kRead);
    visit("stamps", args.stamps, Access::kWrite);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.lengths); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params);
};

}  // namespace keysieve

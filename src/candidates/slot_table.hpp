// Page tables and token tables of the steps around candidates (candidates.h), read by the CPU backend and the kernels;
// the reference has its own. Apart from core/slot.hpp, whose PageLine finds the shift of its page size in every thread.
#pragma once

#include <cstdint>

#include "core/host_device.hpp"
#include "core/slot.hpp"
#include "keysieve/kernels.h"

namespace keysieve {

struct SlotTable {
  const std::int32_t* entries;  // null: no table
  const std::int32_t* row_to_line;
  std::int64_t lines;
  std::int64_t columns;
  std::int64_t row_stride;
  std::int64_t num_pages;  // INT64_MAX: unknown
  std::int64_t ratio;      // table columns a position; 1 where pages have more than one slot
  std::int32_t page_size;
  std::int32_t page_shift;  // -1: page_size is not a power of two
  std::int32_t rows_per_line;
};

// The line of one row.
struct SlotLine {
  const std::int32_t* entries;
  std::int64_t columns;  // 0: every page is bad
  bool is_empty_row;
};

KEYSIEVE_HOST_DEVICE inline SlotLine line_of_row(const SlotTable& table, std::int64_t row) {
  std::int64_t line = row;
  if (table.row_to_line != nullptr) {
    line = table.row_to_line[row];
  } else if (table.rows_per_line > 1) {
    line = static_cast<std::uint32_t>(row) / static_cast<std::uint32_t>(table.rows_per_line);
  }
  SlotLine found{table.entries, 0, table.row_to_line != nullptr && line == -1};
  if (line >= 0 && line < table.lines && table.columns > 0) {
    found.entries += line * table.row_stride;
    found.columns = table.columns;
  }
  return found;
}

// `position` >= 0 from here on.
KEYSIEVE_HOST_DEVICE inline std::uint32_t page_of(const SlotTable& table, std::int32_t position) {
  const auto place = static_cast<std::uint32_t>(position);
  return table.page_shift >= 0 ? place >> table.page_shift : place / static_cast<std::uint32_t>(table.page_size);
}

// What the table has for a position, -1 past its columns. Apart from slot_of_entry, so that a thread of a GPU has
// several under way at once.
KEYSIEVE_HOST_DEVICE inline std::int32_t entry_of(const SlotTable& table, const SlotLine& line, std::int32_t position) {
  const std::int64_t column = static_cast<std::int64_t>(page_of(table, position)) * table.ratio;
  return column < line.columns ? line.entries[column] : -1;
}

KEYSIEVE_HOST_DEVICE inline std::int32_t slot_of_entry(const SlotTable& table, std::int32_t entry,
                                                       std::int32_t position, std::uint32_t& errors) {
  if (entry < 0 || entry >= table.num_pages) {
    errors |= KEYSIEVE_ERROR_BAD_PAGE;
    return static_cast<std::int32_t>(kNoSlot);
  }
  if (table.ratio > 1) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(entry) / static_cast<std::uint32_t>(table.ratio));
  }
  const auto page_size = static_cast<std::uint32_t>(table.page_size);
  const std::uint32_t offset = static_cast<std::uint32_t>(position) - page_of(table, position) * page_size;
  return narrow_slot<std::int32_t>(static_cast<std::int64_t>(entry) * page_size + offset, errors);
}

KEYSIEVE_HOST_DEVICE inline std::int32_t slot_of(const SlotTable& table, const SlotLine& line, std::int32_t position,
                                                 std::uint32_t& errors) {
  return slot_of_entry(table, entry_of(table, line, position), position, errors);
}

// len of a row, at most `most`.
KEYSIEVE_HOST_DEVICE inline std::int64_t live_length(std::int32_t length, std::int64_t most, std::uint32_t& errors) {
  const std::int64_t live = length < 0 ? 0 : length > most ? most : length;
  if (live != length) errors |= KEYSIEVE_ERROR_LENGTH_CLAMPED;
  return live;
}

// INT32_MAX: what stands behind the last block, and what a sort moves to the end.
inline constexpr std::int32_t kNoBlock = 0x7FFFFFFF;

// Ids that say "none" and are no error.
KEYSIEVE_HOST_DEVICE inline bool is_padding(std::int32_t id) { return id == -1 || id == kNoBlock; }

// Is a selected column one of `columns`? Reports one that is not and does not say "none".
KEYSIEVE_HOST_DEVICE inline bool column_is_inside(std::int32_t column, std::int64_t columns, std::uint32_t& errors) {
  if (column >= 0 && column < columns) return true;
  if (!is_padding(column)) errors |= KEYSIEVE_ERROR_BAD_ID;
  return false;
}

// Is a score above -inf? By its bits; `infinity` are those of +inf in its type.
KEYSIEVE_HOST_DEVICE inline bool is_above_minus_infinity(std::uint32_t bits, std::uint32_t infinity) {
  return (bits & infinity) != infinity || bits == infinity;
}

struct ScoreRows {
  const void* scores;  // null: every score is good
  std::int64_t row_stride;
  std::uint32_t infinity;  // bits of +inf
  std::int32_t is_16_bit;
};

KEYSIEVE_HOST_DEVICE inline bool score_is_good(const ScoreRows& rows, std::int64_t row, std::int64_t column) {
  if (rows.scores == nullptr) return true;
  const std::int64_t at = row * rows.row_stride + column;
  const std::uint32_t bits = rows.is_16_bit != 0 ? static_cast<const std::uint16_t*>(rows.scores)[at]
                                                 : static_cast<const std::uint32_t*>(rows.scores)[at];
  return is_above_minus_infinity(bits, rows.infinity);
}

}  // namespace keysieve

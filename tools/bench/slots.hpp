// The index transforms of the benchmark's cells, chosen so that a slot can be turned back into its column.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/cell.hpp"

namespace keysieve::bench {

// Whether cells of this output mode read a page table.
constexpr bool needs_pages(const Cell& cell) {
  return cell.output == IndexMode::kPaged || cell.output == IndexMode::kDual;
}

// One number a row, mode offset.
std::int32_t out_offset(std::int64_t row);

// [rows, columns]: every row's pages in falling order, from a start of the row's own.
std::vector<std::int32_t> make_page_table(std::int64_t rows, std::int64_t columns);

// -1 stays -1. What no column can become turns into a number that is none: -2.
std::vector<std::int32_t> columns_of_slots(const Cell& cell, std::int64_t row, std::span<const std::int32_t> slots);

}  // namespace keysieve::bench

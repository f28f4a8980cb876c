// What the oracle reads of a row: its scores as exact real numbers, its window, its line of the page table.
#pragma once

#include <cstdint>

#include "keysieve/types.hpp"
#include "reference/transform_reference.hpp"

namespace keysieve::reference {

// Exact; NaN as it is.
double read_score(const void* row, std::int64_t column, ScoreType type);

// start and n of the contract's "window"; an empty row has n = 0.
struct Window {
  std::int64_t start = 0;
  std::int64_t n = 0;
};

Window window_of(const SelectProblem& problem, const SelectArgs& args, std::int64_t row, std::uint32_t& errors);

std::int64_t table_line(const SelectProblem& problem, const SelectArgs& args, std::int64_t row);
PageTable page_table_of(const SelectArgs& args, std::int64_t page_size);

}  // namespace keysieve::reference

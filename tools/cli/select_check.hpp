// Compares outputs of two runs of one problem, row by row and bit by bit.
#pragma once

#include <cstdint>
#include <string>

#include "cli/selection.hpp"

namespace keysieve::cli {

struct CheckReport {
  std::int64_t rows_checked = 0;
  std::int64_t rows_wrong = 0;
  std::int64_t first_row = -1;
  std::string first_fault;  // "slot 3 of indices: expected 5, found 6"

  bool ok() const { return rows_wrong == 0; }
};

// Adds the rows of one batch, whose first row is `first_row` of the whole, to `report`. `got` and `expected`
// are outputs for `problem` and `args`. Slots of order "any" may come in any order. With ties "any" another
// choice among equal scores is right too; then the values of both must be there, and where positions can be
// told (modes raw, offset, dual) each must be in range, once, and hold its value.
void compare_batch(const SelectProblem& problem, const SelectArgs& args, const Outputs& got, const Outputs& expected,
                   std::int64_t first_row, CheckReport& report);

}  // namespace keysieve::cli

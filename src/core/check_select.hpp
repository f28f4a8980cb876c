// Validation of a selection request. Two moments: what shapes and options decide is refused when the plan is
// made, what pointers decide when it runs. Nothing is written before both have passed.
#pragma once

#include <string>
#include <vector>

#include "keysieve/status.hpp"
#include "keysieve/types.hpp"

namespace keysieve {

// Every condition that no backend can meet, one sentence each; empty when the problem is sound.
std::vector<std::string> problem_faults(const SelectProblem& problem);

// Checks the tensors of a call against the plan's problem and replaces KEYSIEVE_AUTO strides by numbers.
Status resolve_args(const SelectPlan& plan, const SelectArgs& args, SelectArgs& resolved);

// The parts of a page table that selection and the transform alone both use.
struct PageTableArgs {
  const std::int32_t* page_table;
  std::int64_t page_table_rows;
  std::int64_t page_table_columns;
  std::int64_t& page_table_row_stride;  // resolved in place
  std::int64_t page_size;
  std::int64_t num_pages;
  const std::int32_t* row_to_table;
};
Status resolve_page_table(const PageTableArgs& table, std::int64_t rows, std::int32_t next_n);

// KEYSIEVE_AUTO becomes `tight`; a literal stride must be at least that.
Status resolve_row_stride(const char* name, std::int64_t rows, std::int64_t tight, std::int64_t& stride);

}  // namespace keysieve

// Writes the chosen columns of one row into the outputs: order, index transform, values, counts, padding.
#pragma once

#include <cstdint>

#include "core/row_geometry.hpp"
#include "cpu/candidate_buffer.hpp"
#include "keysieve/types.hpp"

namespace keysieve::cpu {

// Chosen columns in visiting order, in scratch memory.
struct ChosenColumns {
  const std::uint32_t* keys = nullptr;  // needed where the order is score
  std::uint32_t* columns = nullptr;     // put in order in place; null: 0, 1, ..., size - 1
  std::int64_t size = 0;
  bool descending = false;  // visited from the last column to the first
};

// `sort_buffer` holds min(k, width) entries where the order is score. Returns error bits.
std::uint32_t emit_row(const SelectProblem& problem, const SelectArgs& args, std::int64_t row,
                       const RowGeometry& geometry, const ChosenColumns& chosen, std::uint64_t* sort_buffer);

}  // namespace keysieve::cpu

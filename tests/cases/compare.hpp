// Bit-for-bit comparison of two results of one case.
#pragma once

#include <string>

#include "cases/case_data.hpp"

namespace keysieve::cases {

// Empty when equal, else the first difference: case, row, slot, expected, got.
//  - SlotOrder::kAny: the filled slots of a row are compared as a set of (index, raw index, value).
//  - Ties::kAny: which of the equal scores was taken is free, and with it the slot and the bits that a bad page
//    or an overflow sets. Everything else is still checked: the multiset of scores, distinct positions, the slot
//    and the value of each position, the order. Needs a mode that shows positions (not kPaged).
std::string compare(const CaseInputs& inputs, const CaseResult& expected, const CaseResult& got);

// Rows that differ; the error word is no row.
std::int64_t count_wrong_rows(const CaseInputs& inputs, const CaseResult& expected, const CaseResult& got);

}  // namespace keysieve::cases

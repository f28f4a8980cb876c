// The expected result of a case, computed apart from the library: neither its reference nor its key order is
// used. A partial sort per row instead of the reference's full one, so that it also serves long rows, and a
// second opinion on what the reference itself says.
#pragma once

#include <cstdint>
#include <vector>

#include "cases/case_data.hpp"

namespace keysieve::cases {

// Rank of a score: larger is better, equal exactly where the contract calls two scores equal.
std::int64_t score_rank(ScoreType type, NanPolicy policy, std::uint32_t bits);

// The selected positions of a row in slot order (Ties::kAny and SlotOrder::kAny: as smallest and index).
std::vector<std::int64_t> expected_positions(const CaseInputs& inputs, std::int64_t row);

// Fills in the whole result, error word included.
void compute_expected(const CaseInputs& inputs, CaseResult& result);

}  // namespace keysieve::cases

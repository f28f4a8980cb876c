// The hint of a row: the score that the k-th best is guessed to have.
#pragma once

#include <cstdint>

#include "cases/case_data.hpp"

namespace keysieve::cases {

// Bits of the worst score that is selected from a row; -inf where none is.
std::uint32_t kth_score(const CaseInputs& inputs, std::int64_t row);

std::uint32_t hint_bits(const CaseInputs& inputs, HintKind kind, std::int64_t row);

}  // namespace keysieve::cases

// The shared case table: shapes x patterns x options, a few hundred cases of moderate size.
#pragma once

#include <cstdint>
#include <vector>

#include "cases/select_case.hpp"

namespace keysieve::cases {

// In a fixed order, names unique. Under 20 million scores in all.
std::vector<SelectCase> case_table();

// Any case at all, the same one for the same seed; for property tests and for audits without end.
SelectCase random_case(std::uint64_t seed);

}  // namespace keysieve::cases

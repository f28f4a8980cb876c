// Rows built against the engine: against the places where it samples, against the cutoff that it draws and against the
// ties around it.
#pragma once

#include <cstdint>

#include "cases/select_case.hpp"

namespace keysieve::cases {

// Writes the `n` live scores of a row in place of what is there. Where the sample looks follows from n, from
// spec.attack_samples and, on CUDA, from the address of the row modulo 16 bytes, which a copy has to keep.
void fill_attack(const SelectCase& spec, std::int64_t row, std::int64_t n, void* scores);

}  // namespace keysieve::cases

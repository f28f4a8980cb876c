// Which columns of a row are live and which page serves a position: the window and transform rules of the
// contract, written here a second time so that the library's own code is not its only judge.
#pragma once

#include <cstdint>

#include "cases/case_data.hpp"

namespace keysieve::cases {

std::int32_t length_of_kind(const SelectCase& spec, std::int64_t row);
std::int32_t start_of_kind(const SelectCase& spec, std::int64_t row);

struct Window {
  std::int64_t start = 0;
  std::int64_t n = 0;
  std::uint32_t error_bits = 0;
};

Window window_of(const CaseInputs& inputs, std::int64_t row);

// The slot of a selected position; -1 where it has none, with the reason OR-ed into error_bits.
std::int64_t slot_of(const CaseInputs& inputs, std::int64_t row, std::int64_t position, std::uint32_t& error_bits);

}  // namespace keysieve::cases

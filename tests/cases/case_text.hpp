// A case as one line of text and back: what a failing case is handed on as.
//
//   NAME: rows=2 width=1031 k=64 pattern=gauss order=score lengths=1031,17*3
//
// Values that are the default are left out; a list may repeat a number by VALUE*TIMES. The name is optional.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "cases/select_case.hpp"

namespace keysieve::cases {

// Names the field, what was expected and what was found.
class CaseTextError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Without the name.
std::string to_text(const SelectCase& spec);

// Throws CaseTextError. The case that comes back can be built and judged.
SelectCase parse_case(std::string_view text);

// Empty, or why a case cannot be built or judged: "FIELD: expected ..., found ...".
std::string case_fault(const SelectCase& spec);

}  // namespace keysieve::cases

#include "cases/select_case.hpp"

#include "cases/case_text.hpp"

namespace keysieve::cases {

std::string describe(const SelectCase& spec) { return spec.name + ": " + to_text(spec); }

}  // namespace keysieve::cases

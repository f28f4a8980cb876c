// The oracle: selection written for the eye. It sorts every row and shares no code with the
// backends it judges beyond the public types, so that a fault in a shared helper cannot hide.
#pragma once

#include "keysieve/types.hpp"

namespace keysieve::reference {

// `args` has its automatic strides resolved and has passed resolve_args.
void select(const SelectProblem& problem, const SelectArgs& args);

}  // namespace keysieve::reference

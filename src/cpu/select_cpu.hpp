// Selection on the CPU: rows over threads, or pieces of a row over threads.
#pragma once

#include "keysieve/types.hpp"

namespace keysieve::cpu {

// `plan` is runnable on the CPU; `args` has passed resolve_args.
void select(const SelectPlan& plan, const SelectArgs& args);

}  // namespace keysieve::cpu

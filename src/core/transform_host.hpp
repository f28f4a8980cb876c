// The index transform alone, on host tensors.
#pragma once

#include "keysieve/types.hpp"

namespace keysieve {

// `args` has passed resolve_transform_args.
void transform_host(const TransformArgs& args);

}  // namespace keysieve

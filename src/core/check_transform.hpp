// Validation of the index transform alone.
#pragma once

#include "keysieve/status.hpp"
#include "keysieve/types.hpp"

namespace keysieve {

// Checks the arguments and replaces KEYSIEVE_AUTO strides by numbers.
Status resolve_transform_args(const TransformArgs& args, TransformArgs& resolved);

}  // namespace keysieve

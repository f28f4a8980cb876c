// Problems and plans cross into Python as the bytes of their C structs: plain data that Python can cache,
// compare and hand back without an object of ours on its heap.
#pragma once

#include <tvm/ffi/string.h>

#include "keysieve/c_api.h"
#include "keysieve/publish.h"

namespace keysieve::ffi {

::tvm::ffi::Bytes to_bytes(const keysieve_select_problem& problem);
::tvm::ffi::Bytes to_bytes(const keysieve_select_plan& plan);
::tvm::ffi::Bytes to_bytes(const keysieve_publish_plan& plan);

// Throw ValueError when the size is not that of the struct. What the bytes say is checked by the library.
keysieve_select_problem problem_from_bytes(const ::tvm::ffi::Bytes& bytes);
keysieve_select_plan plan_from_bytes(const ::tvm::ffi::Bytes& bytes);
keysieve_publish_plan publish_plan_from_bytes(const ::tvm::ffi::Bytes& bytes);

}  // namespace keysieve::ffi

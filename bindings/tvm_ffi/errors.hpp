// How a failure becomes a Python exception: ValueError for values and shapes, TypeError for element types,
// RuntimeError for devices and for requests that this build or machine cannot serve.
#pragma once

#include <string>

#include "keysieve/c_api.h"

namespace keysieve::ffi {

[[noreturn]] void throw_value_error(const std::string& message);
[[noreturn]] void throw_type_error(const std::string& message);
[[noreturn]] void throw_runtime_error(const std::string& message);

// Throws what a failed status stands for, with the text of keysieve_last_error().
void check_status(keysieve_status status);

// As check_status, for calls whose outputs Python calls out, raw_out, values_out, counts_out and row_counters_out:
// a message must name what the caller typed.
void check_select_status(keysieve_status status);

}  // namespace keysieve::ffi

#include "errors.hpp"

#include <tvm/ffi/error.h>

#include <string>
#include <utility>

namespace keysieve::ffi {
namespace {

// Built by hand, not with TVM_FFI_THROW: that walks the C++ stack to attach a trace of our own frames,
// which tells the caller nothing.
[[noreturn]] void throw_kind(const char* kind, const std::string& message) {
  throw ::tvm::ffi::Error(kind, message, std::string());
}

[[noreturn]] void throw_status(keysieve_status status, const std::string& message) {
  switch (status) {
    case KEYSIEVE_INVALID_ARGUMENT:
      throw_value_error(message);
    case KEYSIEVE_OUT_OF_MEMORY:
      throw_kind("MemoryError", message);
    default:
      throw_runtime_error(message);
  }
}

}  // namespace

void check_status(keysieve_status status) {
  if (status != KEYSIEVE_OK) throw_status(status, keysieve_last_error());
}

void check_select_status(keysieve_status status) {
  if (status == KEYSIEVE_OK) return;
  std::string message = keysieve_last_error();
  constexpr std::pair<const char*, const char*> kNames[] = {{"indices:", "out:"},
                                                            {"raw_indices:", "raw_out:"},
                                                            {"values:", "values_out:"},
                                                            {"counts:", "counts_out:"},
                                                            {"row_counters:", "row_counters_out:"}};
  for (const auto& [from, to] : kNames) {
    if (message.starts_with(from)) {
      message = to + message.substr(std::char_traits<char>::length(from));
      break;
    }
  }
  throw_status(status, message);
}

void throw_value_error(const std::string& message) { throw_kind("ValueError", message); }
void throw_type_error(const std::string& message) { throw_kind("TypeError", message); }
void throw_runtime_error(const std::string& message) { throw_kind("RuntimeError", message); }

}  // namespace keysieve::ffi

// The C ABI writes text into a buffer and says how large it should have been; Python gets all of it.
#pragma once

#include <tvm/ffi/string.h>

#include <cstddef>
#include <string>

#include "errors.hpp"

namespace keysieve::ffi {

// write(buffer, size, &needed) is asked again with the size that it named; one retry is enough for texts that
// do not change in between, and a text that does is cut, never overrun.
template <typename Write>
::tvm::ffi::String whole_text(const Write& write) {
  std::string text(2048, '\0');
  std::size_t needed = 0;
  check_status(write(text.data(), text.size(), &needed));
  if (needed > text.size()) {
    text.assign(needed, '\0');
    check_status(write(text.data(), text.size(), &needed));
  }
  return ::tvm::ffi::String(std::string(text.c_str()));
}

}  // namespace keysieve::ffi

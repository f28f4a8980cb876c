// Bits into the caller's error word. Rarely any: nothing is written then.
#pragma once

#include "cuda/simt/simt.hpp"

namespace keysieve {

KEYSIEVE_DEVICE void report_errors(std::uint32_t* error_word, std::uint32_t errors) {
  if (errors != 0 && error_word != nullptr) simt::atomic_or(error_word, errors);
}

}  // namespace keysieve

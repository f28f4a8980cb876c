// The error word of a call, OR-ed by several workers.
#pragma once

#include <atomic>
#include <cstdint>

namespace keysieve::cpu {

inline void report(std::uint32_t* error_word, std::uint32_t bits) {
  if (bits == 0 || error_word == nullptr) return;
  std::atomic_ref<std::uint32_t>(*error_word).fetch_or(bits, std::memory_order_relaxed);
}

}  // namespace keysieve::cpu

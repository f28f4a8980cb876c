// What must hold for any tensor that a reader lets through, whatever the bytes were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "io/tensor.hpp"

namespace keysieve::io {

inline void require(bool condition) {
  if (!condition) std::abort();
}

inline void check_tensor(const Tensor& tensor, std::span<const std::byte> file) {
  const std::byte* begin = tensor.data.data();
  require(tensor.data.empty() || (begin >= file.data() && begin + tensor.data.size() <= file.data() + file.size()));
  for (const std::int64_t n : tensor.shape) require(n >= 0);
  if (tensor.type != ElementType::kOther) {
    std::int64_t bytes = 0;
    require(checked_size(tensor.shape, size_bytes(tensor.type) * 8, bytes));
    require(static_cast<std::size_t>(bytes) == tensor.data.size());
  }
  // The sanitizers watch these reads.
  unsigned sum = 0;
  for (const std::byte b : tensor.data) sum += std::to_integer<unsigned>(b);
  volatile unsigned sink = sum;
  static_cast<void>(sink);
}

// A message is printed as it is: one line, of bounded length.
inline void check_message(std::string_view message) {
  require(message.size() < 2000);
  for (const char c : message) require(c >= 0x20 && c < 0x7f);
}

}  // namespace keysieve::io

#include "io/tensor.hpp"

#include <algorithm>

namespace keysieve::io {

std::int64_t size_bytes(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
    case ElementType::kInt32:
      return 4;
    case ElementType::kBFloat16:
    case ElementType::kFloat16:
      return 2;
    case ElementType::kInt64:
      return 8;
    case ElementType::kOther:
      break;
  }
  return 0;
}

const char* to_string(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return "float32";
    case ElementType::kBFloat16:
      return "bfloat16";
    case ElementType::kFloat16:
      return "float16";
    case ElementType::kInt32:
      return "int32";
    case ElementType::kInt64:
      return "int64";
    case ElementType::kOther:
      break;
  }
  return "another type";
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  if (shape.size() == 1) text += ',';
  return text + ')';
}

bool checked_size(const std::vector<std::int64_t>& shape, std::int64_t bits_per_element, std::int64_t& bytes) {
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t n) { return n < 0; })) return false;
  bytes = 0;
  // Before the product: (2**40, 2**40, 0) is empty, not an overflow.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;
  std::int64_t bits = bits_per_element;
  for (const std::int64_t n : shape) {
    if (__builtin_mul_overflow(bits, n, &bits)) return false;
  }
  bytes = bits / 8 + (bits % 8 != 0 ? 1 : 0);
  return true;
}

}  // namespace keysieve::io

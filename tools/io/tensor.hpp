// A view of one array inside a mapped file: row-major, little-endian, not owned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace keysieve::io {

enum class ElementType { kFloat32, kBFloat16, kFloat16, kInt32, kInt64, kOther };

struct Tensor {
  ElementType type = ElementType::kOther;
  std::string type_name;  // as the file spells it
  std::vector<std::int64_t> shape;
  std::span<const std::byte> data;  // at any alignment: neither format promises one
};

// 0 for kOther.
std::int64_t size_bytes(ElementType type);
const char* to_string(ElementType type);

// "(4, 256)", and "(4,)" for one dimension, as NumPy prints it.
std::string shape_text(const std::vector<std::int64_t>& shape);

// Product of the dimensions times `bits_per_element`, in bytes rounded up. False where 63 bits do not hold the
// number of bits, or a dimension is negative. A zero dimension makes any shape empty.
bool checked_size(const std::vector<std::int64_t>& shape, std::int64_t bits_per_element, std::int64_t& bytes);

}  // namespace keysieve::io

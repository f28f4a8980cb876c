// The .safetensors format: 8 bytes of header length, a JSON object, then the tensors back to back.
// https://github.com/huggingface/safetensors#format
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/tensor.hpp"

namespace keysieve::io {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// Views of all tensors, in file order. As strict as the format's own reader: the header is one JSON object of
// at most 100 MB with no repeated name, offsets are in bounds, every size agrees with dtype and shape, and the
// tensors cover the data without hole or overlap. A dtype unknown here is kOther and its size is not checked.
// Throws FileError. `path` is for the message only.
std::vector<NamedTensor> parse_safetensors(std::span<const std::byte> file, std::string_view path);

}  // namespace keysieve::io

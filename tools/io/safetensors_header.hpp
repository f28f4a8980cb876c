// The JSON header of a .safetensors file, read event by event: no document tree is built, so a hostile header
// costs no more memory than the names it holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace keysieve::io {

struct SafetensorsEntry {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;  // data_offsets, not checked against each other or the file
  std::uint64_t end = 0;
};

// Entries in header order. Throws FileError.
std::vector<SafetensorsEntry> parse_safetensors_header(std::string_view text, std::string_view path);

}  // namespace keysieve::io

// The header of a .npy file: the text of a Python dictionary with exactly the keys descr, fortran_order and
// shape, in any order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace keysieve::io {

struct NpyHeader {
  std::string descr;        // e.g. "<f4"; empty when structured
  bool structured = false;  // descr is a list of fields; then nothing else of the header was read
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

// Throws FileError with the byte of the header where the text went wrong.
NpyHeader parse_npy_header(std::string_view text, std::string_view path);

}  // namespace keysieve::io

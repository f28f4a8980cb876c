// NumPy's .npy format, versions 1, 2 and 3: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/atomic_file.hpp"
#include "io/tensor.hpp"

namespace keysieve::io {

bool has_npy_magic(std::span<const std::byte> file);

// A view of the array in `file`. Throws FileError for anything but a complete, C-ordered, little-endian array
// of float32, float16, int32 or int64 that fills the file to its last byte. `path` is for the message only.
Tensor parse_npy(std::span<const std::byte> file, std::string_view path);

// Header of a version 1 file, padded so that the data begins at a multiple of 64 bytes.
std::string npy_header(ElementType type, const std::vector<std::int64_t>& shape);

// Writes an array piece by piece, row-major, and puts it in place only when all of it is there.
class NpyWriter {
 public:
  // BF16 has no .npy type: give kFloat32 and widen.
  NpyWriter(const std::string& path, ElementType type, const std::vector<std::int64_t>& shape);

  void append(std::span<const std::byte> bytes);
  // Checks that the array is complete and syncs it; it still lies under its temporary name.
  void finish();
  void commit() { file_.commit(); }

  const std::string& path() const { return file_.path(); }

 private:
  AtomicFile file_;
  std::int64_t missing_bytes_ = 0;
};

}  // namespace keysieve::io

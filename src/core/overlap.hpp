// Do two strided buffers share bytes? Exact for buffers of equal row stride (interleaved outputs are legal),
// conservative otherwise.
#pragma once

#include <cstdint>

namespace keysieve {

// rows x row_bytes, one row every stride_bytes. stride_bytes >= row_bytes; rows >= 1 and row_bytes >= 1, or
// the buffer is empty and overlaps nothing.
struct StridedBytes {
  const void* base = nullptr;
  std::int64_t rows = 0;
  std::int64_t row_bytes = 0;
  std::int64_t stride_bytes = 0;
};

bool overlaps(const StridedBytes& a, const StridedBytes& b);

}  // namespace keysieve

#include "core/overlap.hpp"

#include <cstddef>

namespace keysieve {
namespace {

bool is_empty(const StridedBytes& buffer) {
  return buffer.base == nullptr || buffer.rows <= 0 || buffer.row_bytes <= 0;
}

std::uintptr_t first_byte(const StridedBytes& buffer) { return reinterpret_cast<std::uintptr_t>(buffer.base); }

std::uintptr_t end_byte(const StridedBytes& buffer) {
  return first_byte(buffer) + static_cast<std::uintptr_t>((buffer.rows - 1) * buffer.stride_bytes + buffer.row_bytes);
}

}  // namespace

bool overlaps(const StridedBytes& a, const StridedBytes& b) {
  if (is_empty(a) || is_empty(b)) return false;
  if (end_byte(a) <= first_byte(b) || end_byte(b) <= first_byte(a)) return false;
  const bool same_stride = a.stride_bytes == b.stride_bytes && a.stride_bytes > 0;
  if (!same_stride) return true;
  // Rows repeat with one period: they are disjoint when their places inside a period are.
  const auto period = static_cast<std::uintptr_t>(a.stride_bytes);
  const std::uintptr_t distance = first_byte(b) >= first_byte(a)
                                      ? (first_byte(b) - first_byte(a)) % period
                                      : (period - (first_byte(a) - first_byte(b)) % period) % period;
  return distance < static_cast<std::uintptr_t>(a.row_bytes) ||
         distance + static_cast<std::uintptr_t>(b.row_bytes) > period;
}

}  // namespace keysieve

#include "core/overlap.hpp"

#include <gtest/gtest.h>

#include <set>

namespace keysieve {
namespace {

alignas(64) char memory[4096];

StridedBytes strided(int offset, int rows, int row_bytes, int stride) {
  return {memory + offset, rows, row_bytes, stride};
}

bool share_a_byte(const StridedBytes& a, const StridedBytes& b) {
  std::set<const char*> bytes;
  for (std::int64_t row = 0; row < a.rows; ++row) {
    for (std::int64_t i = 0; i < a.row_bytes; ++i)
      bytes.insert(static_cast<const char*>(a.base) + row * a.stride_bytes + i);
  }
  for (std::int64_t row = 0; row < b.rows; ++row) {
    for (std::int64_t i = 0; i < b.row_bytes; ++i) {
      if (bytes.count(static_cast<const char*>(b.base) + row * b.stride_bytes + i) != 0) return true;
    }
  }
  return false;
}

TEST(Overlap, EqualStridesAreExact) {
  // Every offset and width of two interleaved buffers. More rows than periods between the bases, so that the
  // rows do meet where their places do.
  for (int offset = 0; offset < 40; ++offset) {
    for (int width_a = 1; width_a <= 16; width_a += 3) {
      for (int width_b = 1; width_b <= 16; width_b += 3) {
        const StridedBytes a = strided(64, 5, width_a, 16), b = strided(64 + offset, 5, width_b, 16);
        ASSERT_EQ(overlaps(a, b), share_a_byte(a, b)) << offset << ' ' << width_a << ' ' << width_b;
        ASSERT_EQ(overlaps(b, a), share_a_byte(b, a)) << offset << ' ' << width_a << ' ' << width_b;
      }
    }
  }
}

TEST(Overlap, DisjointRangesNeverOverlap) { EXPECT_FALSE(overlaps(strided(0, 4, 8, 16), strided(56, 4, 8, 24))); }

TEST(Overlap, DifferentStridesInOneRangeCountAsOverlap) {
  EXPECT_TRUE(overlaps(strided(0, 4, 8, 16), strided(8, 2, 8, 24)));
}

TEST(Overlap, EmptyBuffersOverlapNothing) {
  EXPECT_FALSE(overlaps(strided(0, 0, 8, 16), strided(0, 4, 8, 16)));
  EXPECT_FALSE(overlaps({nullptr, 4, 8, 16}, strided(0, 4, 8, 16)));
}

}  // namespace
}  // namespace keysieve

// Rows as vectors and chunks: every live column once, at its own position, and no byte outside the window read.
#include "cuda/block/row_chunks.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "cases/guarded_buffer.hpp"
#include "cuda/block/block_harness.hpp"

namespace keysieve::test {
namespace {

template <typename Format>
class RowChunksTest : public testing::Test {};
using Formats = testing::Types<Float32Bits, BFloat16Bits, Float16Bits>;
TYPED_TEST_SUITE(RowChunksTest, Formats);

std::vector<std::int64_t> lengths_to_try() {
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = 0; n <= 40; ++n) lengths.push_back(n);
  for (std::int64_t border = 128; border <= 1536; border += 128) {
    for (std::int64_t n = border - 9; n <= border + 9; ++n) lengths.push_back(n);
  }
  lengths.push_back(2000);
  return lengths;
}

// Scores that say their position; behind the window comes a guard that must not be read (AddressSanitizer).
template <typename Format>
struct Window {
  using Bits = typename Format::Bits;
  Window(std::int64_t length, std::int64_t misalignment)
      : buffer(static_cast<std::size_t>(length) * sizeof(Bits), static_cast<std::size_t>(misalignment) * sizeof(Bits)) {
    for (std::int64_t i = 0; i < length; ++i) buffer.as<Bits>()[i] = score(i);
  }
  static Bits score(std::int64_t position) { return static_cast<Bits>(position + 1); }
  RowVectors<Format> vectors() const {
    return {buffer.as<Bits>(), static_cast<std::int64_t>(buffer.size() / sizeof(Bits))};
  }
  cases::GuardedBuffer buffer;
};

template <typename Format>
void check_vectors(const Window<Format>& window, std::int64_t length) {
  constexpr int kColumns = kVectorColumns<Format>;
  const RowVectors<Format> vectors = window.vectors();
  ASSERT_EQ(vectors.length(), length);
  ASSERT_EQ(reinterpret_cast<std::uintptr_t>(vectors.aligned_base()) % 16, 0u);
  std::int64_t live = 0;
  for (std::int32_t vector = 0; vector < vectors.num_vectors() + 3; ++vector) {
    const std::uint32_t mask = vectors.live_columns(vector);
    const simt::Vector loaded = vectors.load(vector);
    ASSERT_EQ(vectors.is_interior(vector, vector + 1), mask == (1u << kColumns) - 1);
    for (int column = 0; column < kColumns; ++column) {
      const std::int64_t position = vectors.position(vector) + column;
      const bool inside = position >= 0 && position < length;
      ASSERT_EQ((mask >> column) & 1, inside ? 1u : 0u);
      ASSERT_EQ(column_bits<Format>(loaded, column), inside ? window.score(position) : 0);
      if (inside) {
        ASSERT_EQ(vectors.vector_of(position), vector);
      }
      live += inside ? 1 : 0;
    }
    if (vector >= vectors.num_vectors()) {
      ASSERT_EQ(mask, 0u);
    }
  }
  ASSERT_EQ(live, length);
}

template <typename Format, typename Row>
void check_chunks(const Window<Format>& window, const Row& row, std::vector<int>& seen) {
  constexpr int kColumns = kVectorColumns<Format>;
  const RowVectors<Format>& vectors = row.vectors();
  ASSERT_LE(row.end_inner(), std::max(row.num_chunks(), row.first_inner()));
  ASSERT_LE(row.first_inner(), row.end_inner());
  ASSERT_LE(row.first_inner() + row.num_chunks() - std::min(row.end_inner(), row.num_chunks()), 2);
  for (std::int32_t chunk = 0; chunk < row.num_chunks(); ++chunk) {
    const bool inner = chunk >= row.first_inner() && chunk < row.end_inner();
    ChunkVectors<Row::kVectors> lane;
    if (inner) lane = row.load_inner(chunk);
    for (int i = 0; i < Row::kVectors; ++i) {
      const std::int32_t vector = chunk * Row::kChunkVectors + i * simt::kWarpLanes + simt::lane_index();
      if (!inner) lane.vectors[i] = row.load(vector);
      for (int column = 0; column < kColumns; ++column) {
        const std::uint32_t code = Row::first_code(chunk) + static_cast<std::uint32_t>(i * kColumns + column);
        const std::int64_t position = vectors.position(vector) + column;
        ASSERT_EQ(row.position_of_code(code), static_cast<std::uint32_t>(position));
        if (position < 0 || position >= vectors.length()) {
          ASSERT_FALSE(inner);
          continue;
        }
        ASSERT_EQ(row.chunk_of_position(position), chunk);
        ASSERT_EQ(column_bits<Format>(lane.vectors[i], column), window.score(position));
        ++seen[static_cast<std::size_t>(position)];
      }
    }
  }
}

TYPED_TEST(RowChunksTest, EveryColumnOnceAtEveryAlignment) {
  using Format = TypeParam;
  for (const std::int64_t length : lengths_to_try()) {
    for (std::int64_t misalignment = 0; misalignment < kVectorColumns<Format>; ++misalignment) {
      SCOPED_TRACE(std::to_string(length) + " columns, misaligned by " + std::to_string(misalignment));
      const Window<Format> window(length, misalignment);
      check_vectors(window, length);
      const RowVectors<Format> vectors = window.vectors();
      std::vector<int> from_global(static_cast<std::size_t>(length));
      const std::string fault = run_block({.threads = 32}, [&](const Block&) {
        check_chunks<Format>(window, GlobalRow<Format>(vectors), from_global);
      });
      ASSERT_EQ(fault, "");
      ASSERT_EQ(from_global, std::vector<int>(static_cast<std::size_t>(length), 1));
      if (this->HasFailure()) return;
    }
  }
}

// No memory is touched: the window is an address alone.
TYPED_TEST(RowChunksTest, LongestRowDoesNotWrap) {
  using Format = TypeParam;
  using Bits = typename Format::Bits;
  constexpr int kColumns = kVectorColumns<Format>;
  for (const std::int64_t length : {std::int64_t{0x7FFFFFFF}, std::int64_t{0x7FFFFFFE}, std::int64_t{0x7FFFFF00}}) {
    for (std::uintptr_t misalignment = 0; misalignment < kColumns; ++misalignment) {
      const auto lead = static_cast<std::int64_t>(misalignment);
      const auto* window = reinterpret_cast<const Bits*>((std::uintptr_t{1} << 33) + misalignment * sizeof(Bits));
      const RowVectors<Format> vectors(window, length);
      const std::int32_t last = vectors.num_vectors() - 1;
      ASSERT_EQ(last, (length + lead - 1) / kColumns);
      ASSERT_EQ(vectors.position(last), std::int64_t{last} * kColumns - lead);
      ASSERT_EQ(vectors.vector_of(length - 1), last);
      ASSERT_EQ(simt::count_ones(vectors.live_columns(last)), length - vectors.position(last));
      ASSERT_EQ(vectors.live_columns(last + 1), 0u);
      ASSERT_FALSE(vectors.is_interior(last, last + 2));
      using Row = GlobalRow<Format>;
      const Row row(vectors);
      ASSERT_EQ(row.num_chunks(), (length + lead + Row::kColumns - 1) / Row::kColumns);
      ASSERT_EQ(row.end_inner(), (length + lead) / Row::kColumns);
      ASSERT_EQ(row.chunk_of_position(length - 1), row.num_chunks() - 1);
      const std::string fault = run_block({.threads = 32}, [&](const Block&) {
        const std::int32_t chunk = row.num_chunks() - 1;
        for (int column = 0; column < Row::kLaneColumns; ++column) {
          const std::int32_t vector = chunk * Row::kChunkVectors + column / kColumns * 32 + simt::lane_index();
          const std::uint32_t code = Row::first_code(chunk) + static_cast<std::uint32_t>(column);
          EXPECT_EQ(row.position_of_code(code), vectors.position(vector) + column % kColumns);
        }
      });
      ASSERT_EQ(fault, "");
    }
  }
}

}  // namespace
}  // namespace keysieve::test

#include "cuda/block/register_row.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "cuda/block/block_harness.hpp"

namespace keysieve::test {
namespace {

template <typename FormatOfScores, int kThreadColumns>
struct Kind {
  using Format = FormatOfScores;
  using Row = RegisterRow<FormatOfScores, kThreadColumns>;
};

template <typename K>
class RegisterRowTest : public testing::Test {
 public:
  using Bits = typename K::Format::Bits;

  RegisterRowTest() : memory_(1100) {
    std::mt19937_64 random(7);
    for (simt::Vector& vector : memory_) {
      for (std::uint32_t& word : vector.words) word = static_cast<std::uint32_t>(random());
    }
  }
  // A window that starts `lead` columns behind a 16-byte boundary, of arbitrary bits: NaN, infinities and all.
  const Bits* window(int lead) const { return reinterpret_cast<const Bits*>(memory_.data()) + lead; }

 private:
  std::vector<simt::Vector> memory_;
};

using Kinds = testing::Types<Kind<Float32Bits, 16>, Kind<Float32Bits, 32>, Kind<BFloat16Bits, 16>,
                             Kind<BFloat16Bits, 32>, Kind<Float16Bits, 16>, Kind<Float16Bits, 32>>;
TYPED_TEST_SUITE(RegisterRowTest, Kinds);

// Every column is somewhere, once, with the bits it has in memory; the rest is dead.
TYPED_TEST(RegisterRowTest, HoldsTheWindowWhateverItsAlignmentAndLength) {
  using Row = typename TypeParam::Row;
  using Format = typename TypeParam::Format;
  constexpr int kThreads = 64;
  constexpr std::int32_t kAll = kThreads * Row::kColumns;
  for (const int lead : {0, 1, 3, 7}) {
    for (const std::int32_t length : {0, 1, 5, 127, 128, 129, 511, 777, kAll - 1, kAll}) {
      const auto* window = this->window(lead);
      std::set<std::int32_t> seen;
      const std::string fault = run_block({.threads = kThreads}, [&](const Block&) {
        Row row(simt::thread_index());
        row.load(window, length);
        const ColumnMask live = row.live_columns(length);
        for (int i = 0; i < Row::kColumns; ++i) {
          const std::int32_t position = row.position(i);
          ASSERT_EQ(live >> i & 1, position < length ? 1u : 0u) << position;
          if ((live >> i & 1) == 0) {
            ASSERT_TRUE(is_nan<Format>(row.bits(i)));
            continue;
          }
          ASSERT_EQ(row.bits(i), window[position]);
          ASSERT_TRUE(seen.insert(position).second);
          ASSERT_EQ(Row::thread_of(position), simt::thread_index());
          ASSERT_EQ(Row::bit_of(position), 1u << i);
        }
      });
      ASSERT_EQ(fault, "");
      ASSERT_EQ(static_cast<std::int32_t>(seen.size()), length) << "lead " << lead;
    }
  }
}

TYPED_TEST(RegisterRowTest, FindsColumnsAndKeepsOthers) {
  using Row = typename TypeParam::Row;
  using Format = typename TypeParam::Format;
  const auto* window = this->window(0);
  const std::string fault = run_block({.threads = 32}, [&](const Block&) {
    Row row(simt::thread_index());
    row.load(window, 32 * Row::kColumns);
    const ColumnMask odd = row.columns_where([](auto bits) { return (bits & 1) != 0; });
    row.keep(odd);
    for (int i = 0; i < Row::kColumns; ++i) {
      const auto bits = window[row.position(i)];
      ASSERT_EQ(odd >> i & 1, bits & 1u);
      ASSERT_TRUE((bits & 1) != 0 ? row.bits(i) == bits : is_nan<Format>(row.bits(i)));
    }
  });
  ASSERT_EQ(fault, "");
}

}  // namespace
}  // namespace keysieve::test

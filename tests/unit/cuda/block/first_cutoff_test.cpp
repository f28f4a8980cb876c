// The sampled cutoff, through the share of the row that it takes.
#include "cuda/block/first_cutoff.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "cases/patterns.hpp"
#include "cuda/block/block_harness.hpp"
#include "cuda/block/row_chunks.hpp"

namespace keysieve::test {
namespace {

template <typename Format>
constexpr ScoreType kTypeOf = ScoreType::kFloat32;
template <>
constexpr ScoreType kTypeOf<BFloat16Bits> = ScoreType::kBFloat16;
template <>
constexpr ScoreType kTypeOf<Float16Bits> = ScoreType::kFloat16;

// The candidate buffer is free to be used meanwhile.
constexpr std::int32_t kRoom = 512;

struct Setting {
  std::int64_t length;
  std::int64_t k;
  int threads;
  std::int32_t samples;
  Ties ties = Ties::kSmallest;
};

std::string describe(const Setting& setting) {
  return std::to_string(setting.length) + " columns, k " + std::to_string(setting.k) + ", " +
         std::to_string(setting.samples) + " samples";
}

// Columns of the row that its sampled cutoff takes; -1 for a fault.
template <typename Format>
std::int64_t taken_of(const Setting& setting, const cases::PatternSpec& pattern, std::int64_t row_index,
                      std::string& fault) {
  using Bits = typename Format::Bits;
  std::vector<simt::Vector> memory(static_cast<std::size_t>(setting.length * Format::kWidth / 128 + 2));
  Bits* scores = reinterpret_cast<Bits*>(memory.data()) + row_index % kVectorColumns<Format>;
  cases::fill_row(pattern, kTypeOf<Format>, row_index, setting.length, scores);
  const RowVectors<Format> vectors(scores, setting.length);
  Cutoff cutoff;
  std::vector<std::int32_t> chunks;
  fault = run_block({.threads = setting.threads,
                     .capacity = kRoom,
                     .k = setting.k,
                     .order_seed = static_cast<std::uint64_t>(row_index),
                     .ties = setting.ties},
                    [&](const Block& block) {
                      const GlobalRow<Format> row(vectors);
                      const Cutoff mine = sampled_cutoff<Format>(block, row, setting.samples);
                      if (simt::thread_index() == 0) cutoff = mine;
                      simt::sync_block();
                      EXPECT_EQ(mine.key, cutoff.key);
                      EXPECT_EQ(mine.chunk_rank, cutoff.chunk_rank);
                    });
  const std::uint32_t flip = setting.ties == Ties::kLargest ? 0 : 0xFFFFFFFFu;
  const GlobalRow<Format> row(vectors);
  std::int64_t taken = 0;
  for (std::int64_t i = 0; i < setting.length; ++i) {
    const Key key = ordered_key<Format>(scores[i], kKeyNanLowest);
    const std::uint32_t rank = static_cast<std::uint32_t>(row.chunk_of_position(i)) ^ flip;
    taken += key > cutoff.key || (key == cutoff.key && rank >= cutoff.chunk_rank) ? 1 : 0;
  }
  return taken;
}

// The largest share of vectors that may show a taken column: the wanted rank, by how much a 32nd of the sample may miss
// it, and what chance adds.
double highest_vector_share(double share, int columns, double samples) {
  const double shown = 1 - std::pow(1 - share, columns);
  const double wanted = std::min(1.0, (samples * shown + 5 * std::sqrt(samples * shown * (1 - shown)) + 3) / samples);
  // Few groups of 32 have few tries to meet it.
  const double tries = samples < 512 ? 4 : 2;
  const double missed = std::max(wanted / 8, tries * std::sqrt(wanted * (1 - wanted) / 32));
  const double observed = std::min(1.0, wanted + missed);
  return std::min(1.0, observed + 5 * std::sqrt(observed * (1 - observed) / samples));
}

template <typename Format>
class FirstCutoff : public testing::Test {
 public:
  static constexpr int kColumns = kVectorColumns<Format>;

  static std::vector<Setting> settings() {
    return {{2048, 16, 256, 512},  {2048, 700, 256, 512},    {5000, 64, 64, 128},     {8191, 512, 256, 512},
            {8192, 2048, 32, 64},  {32768, 512, 256, 512},   {32768, 2048, 512, 512}, {65537, 2048, 256, 512},
            {131072, 1, 256, 512}, {131072, 2048, 1024, 512}};
  }
};
using Formats = testing::Types<Float32Bits, BFloat16Bits, Float16Bits>;
TYPED_TEST_SUITE(FirstCutoff, Formats);

TYPED_TEST(FirstCutoff, TakesTheSlotsAndNotManyMoreOfIndependentColumns) {
  for (const Setting& setting : TestFixture::settings()) {
    for (const cases::Pattern kind : {cases::Pattern::kGauss, cases::Pattern::kShifted, cases::Pattern::kUniform}) {
      for (std::int64_t row = 0; row < 4; ++row) {
        std::string fault;
        const std::int64_t taken = taken_of<TypeParam>(setting, {kind, 0, 0}, row, fault);
        ASSERT_EQ(fault, "");
        EXPECT_GE(taken, setting.k) << describe(setting);
        const double share = static_cast<double>(setting.k) / static_cast<double>(setting.length);
        const int columns = std::pow(1 - share, TestFixture::kColumns) < 0.15 ? 1 : TestFixture::kColumns;
        const double vectors = highest_vector_share(share, columns, setting.samples);
        const double most = 1 - std::pow(1 - vectors, 1.0 / columns);
        // Coarse types have ties inside a chunk's width.
        const double bound = most * static_cast<double>(setting.length) + 2.0 * kChunkColumns;
        EXPECT_LE(static_cast<double>(taken), bound) << describe(setting);
      }
    }
  }
}

TYPED_TEST(FirstCutoff, CutsPlateausBetweenChunks) {
  for (Setting setting : TestFixture::settings()) {
    for (const Ties ties : {Ties::kSmallest, Ties::kLargest}) {
      setting.ties = ties;
      std::string fault;
      const std::int64_t taken = taken_of<TypeParam>(setting, {cases::Pattern::kConstant, 0, 0}, 3, fault);
      ASSERT_EQ(fault, "");
      EXPECT_GE(taken, setting.k) << describe(setting);
      // All columns are alike, so the wanted count of the sampled ones is all there is to miss.
      const double length = static_cast<double>(setting.length);
      const double share = static_cast<double>(setting.k) / length;
      const double columns = TestFixture::kColumns;
      const double sampled = setting.samples * columns;
      const double wanted = sampled * share + 4 * std::sqrt(sampled * share * columns * (1 - share)) + 3 * columns;
      EXPECT_LE(static_cast<double>(taken), wanted / sampled * length + kChunkColumns + 2 * length / setting.samples)
          << describe(setting);
    }
  }
}

// Any row at all: the cutoff may be bad there, but it is one, and the same for every order of the threads.
TYPED_TEST(FirstCutoff, AnyRowGivesACutoff) {
  for (const cases::Pattern kind : cases::kAllPatterns) {
    std::string fault;
    const std::int64_t taken = taken_of<TypeParam>({5000, 64, 64, 128}, {kind, 40, 0}, 1, fault);
    ASSERT_EQ(fault, "");
    EXPECT_GT(taken, 0) << cases::name_of(kind);
  }
}

TYPED_TEST(FirstCutoff, StaysAboveTheFloor) {
  using Format = TypeParam;
  std::vector<simt::Vector> memory(600);
  for (simt::Vector& vector : memory) {
    for (std::uint32_t& word : vector.words) word = Format::kWidth == 32 ? 0xFF800000u : 0u;
    if (Format::kWidth == 16) {
      for (std::uint32_t& word : vector.words)
        word = (0x80000000u | Format::kInfinity << 16) | (0x8000u | Format::kInfinity);
    }
  }
  const RowVectors<Format> vectors(reinterpret_cast<const typename Format::Bits*>(memory.data()),
                                   600 * 128 / Format::kWidth);
  const Key floor = kKeyNegativeInfinity<Format> + 1;
  Cutoff cutoff;
  const std::string fault =
      run_block({.threads = 64, .capacity = kRoom, .k = 10, .floor_key = floor},
                [&](const Block& block) { cutoff = sampled_cutoff<Format>(block, GlobalRow<Format>(vectors), 128); });
  ASSERT_EQ(fault, "");
  EXPECT_EQ(cutoff.key, floor);
  EXPECT_EQ(cutoff.chunk_rank, 0u);
}

TYPED_TEST(FirstCutoff, HintsThatSayNothing) {
  using Format = TypeParam;
  using Bits = typename Format::Bits;
  constexpr std::uint32_t kSign = Format::kSignMask, kInfinity = Format::kInfinity;
  const std::string fault = run_block({.threads = 32, .k = 10}, [&](const Block& block) {
    if (simt::thread_index() != 0) return;
    Cutoff cutoff;
    for (const std::uint32_t bits :
         {kInfinity + 1, kSign | (kInfinity + 1), kSign - 1, kSign | kInfinity, kSign | (kInfinity - 1)}) {
      EXPECT_FALSE(cutoff_of_hint<Format>(block, static_cast<Bits>(bits), cutoff)) << std::hex << bits;
    }
    for (const std::uint32_t bits : {0u, kSign, 1u, kInfinity - 1, kInfinity, kInfinity / 2}) {
      ASSERT_TRUE(cutoff_of_hint<Format>(block, static_cast<Bits>(bits), cutoff)) << std::hex << bits;
      EXPECT_EQ(cutoff.key, number_key<Format>(static_cast<Bits>(bits)) - kHintMargin<Format>);
      EXPECT_EQ(cutoff.chunk_rank, 0u);
    }
  });
  ASSERT_EQ(fault, "");
}

}  // namespace
}  // namespace keysieve::test

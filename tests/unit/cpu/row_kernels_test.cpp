// The SIMD parts below the level of a selection, on every target that this machine can run.
#include "cpu/row_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "cpu/workspace_layout.hpp"

namespace keysieve::cpu {
namespace {

std::vector<std::string> targets() {
  std::istringstream names(supported_targets());
  std::vector<std::string> all;
  for (std::string name; names >> name;) all.push_back(name);
  return all;
}

class EveryTarget : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(force_target(GetParam().c_str()));
    ASSERT_EQ(target_name(), GetParam());
  }
  void TearDown() override { ASSERT_TRUE(force_target(nullptr)); }
};

INSTANTIATE_TEST_SUITE_P(RowKernels, EveryTarget, ::testing::ValuesIn(targets()),
                         [](const auto& instance) { return instance.param; });

struct Candidates {
  std::vector<std::uint32_t> keys, columns;
  CandidateBuffer buffer;
  Candidates(std::int64_t capacity, std::int64_t keep, Key cutoff)
      : keys(static_cast<std::size_t>(capacity)), columns(static_cast<std::size_t>(capacity)) {
    buffer.keys = keys.data();
    buffer.columns = columns.data();
    buffer.capacity = capacity;
    buffer.keep = keep;
    buffer.cutoff = cutoff;
  }
};

template <typename Format>
std::vector<typename Format::Bits> random_bits(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<typename Format::Bits> bits(count);
  for (auto& each : bits) each = static_cast<typename Format::Bits>(random());
  return bits;
}

template <typename Format>
void expect_collect_takes_exactly_what_the_key_says(ScoreType type) {
  for (const std::int64_t length : {0, 1, 63, 64, 65, 127, 200, 1000}) {
    for (const std::size_t misalignment : {0u, 1u, 3u}) {
      const auto memory = random_bits<Format>(static_cast<std::size_t>(length) + misalignment, 7);
      const auto* scores = memory.data() + misalignment;
      for (const Key nan_key : {kKeyNanLowest, kKeyNanHighest}) {
        for (const Key cutoff : {Key{0}, Key{2}, Key{0x40000000}, Key{0x80000000}, Key{0x80000001}, Key{0xC0000000},
                                 kKeyNanHighest, kKeyForced}) {
          for (const bool descending : {false, true}) {
            Candidates candidates(length + 2 * kBlockColumns, length + 1, cutoff);
            row_kernels(type).collect({scores, length, nan_key}, 0, length, descending, candidates.buffer);
            std::vector<std::uint32_t> columns, keys;
            for (std::int64_t i = 0; i < length; ++i) {
              const std::int64_t column = descending ? length - 1 - i : i;
              const Key key = ordered_key<Format>(scores[column], nan_key);
              if (key < cutoff) continue;
              columns.push_back(static_cast<std::uint32_t>(column));
              keys.push_back(key);
            }
            ASSERT_EQ(candidates.buffer.size, static_cast<std::int64_t>(columns.size()));
            candidates.columns.resize(columns.size());
            candidates.keys.resize(keys.size());
            ASSERT_EQ(candidates.columns, columns);
            ASSERT_EQ(candidates.keys, keys);
          }
        }
      }
    }
  }
}

TEST_P(EveryTarget, CollectTakesExactlyWhatTheKeySays) {
  expect_collect_takes_exactly_what_the_key_says<Float32Bits>(ScoreType::kFloat32);
  expect_collect_takes_exactly_what_the_key_says<BFloat16Bits>(ScoreType::kBFloat16);
  expect_collect_takes_exactly_what_the_key_says<Float16Bits>(ScoreType::kFloat16);
}

// A buffer one block larger than k compacts all the time; the result is still the k best, ties to the first
// visited.
TEST_P(EveryTarget, TinyBufferKeepsTheBest) {
  for (const std::uint32_t distinct : {1u, 2u, 3u, 50u, 1000000u}) {
    for (const std::int64_t keep : {1, 5, 64, 300}) {
      const std::int64_t length = 2000;
      std::mt19937 random(distinct);
      std::vector<std::uint32_t> scores(static_cast<std::size_t>(length));
      for (auto& score : scores) score = 0x3F800000u + static_cast<std::uint32_t>(random()) % distinct;
      for (const bool descending : {false, true}) {
        Candidates candidates(keep + 2 * kBlockColumns, keep, 0);
        row_kernels(ScoreType::kFloat32)
            .collect({scores.data(), length, kKeyNanLowest}, 0, length, descending, candidates.buffer);
        compact(candidates.buffer);
        std::vector<std::uint32_t> expected(static_cast<std::size_t>(length));
        for (std::size_t i = 0; i < expected.size(); ++i) {
          expected[i] = static_cast<std::uint32_t>(descending ? length - 1 - static_cast<std::int64_t>(i)
                                                              : static_cast<std::int64_t>(i));
        }
        // Stable: of equal scores the first visited stays first.
        std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return scores[a] > scores[b]; });
        expected.resize(static_cast<std::size_t>(keep));
        if (descending) {
          std::sort(expected.begin(), expected.end(), std::greater<>());
        } else {
          std::sort(expected.begin(), expected.end());
        }
        ASSERT_EQ(candidates.buffer.size, keep);
        candidates.columns.resize(static_cast<std::size_t>(keep));
        ASSERT_EQ(candidates.columns, expected) << distinct << ' ' << keep << ' ' << descending;
      }
    }
  }
}

TEST_P(EveryTarget, FirstCutoffStaysInsideTheRowAndAboveTheFloor) {
  std::vector<std::uint32_t> sample(static_cast<std::size_t>(kSampleCapacity));
  for (const std::int64_t length : {512, 513, 1000, 4096, 5000, 100003}) {
    // The end of the vector is the end of an allocation: a read past it is an error under AddressSanitizer.
    const auto scores = random_bits<Float32Bits>(static_cast<std::size_t>(length), 3);
    for (const std::int64_t k : {1, 7, 100, 500, 5000}) {
      for (const Key floor : {Key{0}, Key{0x90000000}}) {
        const Key cutoff = row_kernels(ScoreType::kFloat32)
                               .first_cutoff({scores.data(), length, kKeyNanLowest}, k, floor, sample.data());
        EXPECT_GE(cutoff, floor);
      }
    }
  }
}

TEST_P(EveryTarget, FirstCutoffLeavesFewMoreThanK) {
  std::vector<std::uint32_t> sample(static_cast<std::size_t>(kSampleCapacity));
  const std::int64_t length = 131072, k = 2048;
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> scores(static_cast<std::size_t>(length));
  for (auto& score : scores) score = normal(random);
  const Key cutoff =
      row_kernels(ScoreType::kFloat32).first_cutoff({scores.data(), length, kKeyNanLowest}, k, 0, sample.data());
  const auto survivors = std::count_if(scores.begin(), scores.end(), [&](float score) {
    return ordered_key<Float32Bits>(std::bit_cast<std::uint32_t>(score), kKeyNanLowest) >= cutoff;
  });
  EXPECT_GE(survivors, k);
  EXPECT_LE(survivors, 3 * k);
}

TEST_P(EveryTarget, HasNanFindsOneNanAnywhere) {
  for (const std::int64_t length : {1, 64, 65, 200}) {
    std::vector<std::uint16_t> scores(static_cast<std::size_t>(length), 0xFF80);  // -inf is not NaN
    EXPECT_FALSE(row_kernels(ScoreType::kBFloat16).has_nan({scores.data(), length, kKeyNanLowest}));
    for (std::size_t i = 0; i < scores.size(); ++i) {
      for (const std::uint16_t nan : std::initializer_list<std::uint16_t>{0x7F81, 0xFF81, 0x7FFF, 0xFFFF}) {
        scores[i] = nan;
        ASSERT_TRUE(row_kernels(ScoreType::kBFloat16).has_nan({scores.data(), length, kKeyNanLowest}));
      }
      scores[i] = 0x7F80;  // nor is +inf
    }
    EXPECT_FALSE(row_kernels(ScoreType::kBFloat16).has_nan({scores.data(), length, kKeyNanLowest}));
  }
}

TEST(RowKernelsTargets, UnknownTargetIsRefused) {
  EXPECT_FALSE(force_target("NO_SUCH_TARGET"));
  EXPECT_TRUE(force_target(nullptr));
  EXPECT_EQ(targets().front(), target_name()) << "the best target is the one in use";
}

}  // namespace
}  // namespace keysieve::cpu

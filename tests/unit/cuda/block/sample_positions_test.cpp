#include "cuda/block/sample_positions.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

namespace keysieve::test {
namespace {

TEST(SamplePositions, OneInEachStratum) {
  for (const std::int32_t num_vectors : {1, 2, 3, 130, 256, 511, 512, 513, 1000, 32768, 1 << 20, (1 << 29) + 1}) {
    for (const int log2_samples : {0, 1, 4, 6, 9, 15}) {
      const std::int64_t samples = std::int64_t{1} << log2_samples;
      for (std::int32_t sample = 0; sample < samples; ++sample) {
        const std::int64_t vector = sample_vector(sample, num_vectors, log2_samples);
        ASSERT_GE(vector, 0);
        ASSERT_LT(vector, num_vectors);
        // A vector on the border of two strata belongs to both.
        ASSERT_GE((vector + 1) * samples, std::int64_t{num_vectors} * sample);
        ASSERT_LE(vector * samples, std::int64_t{num_vectors} * (sample + 1));
      }
    }
  }
}

TEST(SamplePositions, PlacesInsideTheStrataVary) {
  // 512 strata of 64 vectors: as many different places and distances as chance would give.
  std::set<std::int32_t> places, distances;
  double sum = 0;
  for (std::int32_t sample = 0; sample < 512; ++sample) {
    const std::int32_t vector = sample_vector(sample, 512 * 64, 9);
    places.insert(vector % 64);
    sum += vector % 64;
    if (sample > 0) distances.insert(vector - sample_vector(sample - 1, 512 * 64, 9));
  }
  EXPECT_GE(places.size(), 60u);
  EXPECT_GE(distances.size(), 80u);
  EXPECT_NEAR(sum / 512, 31.5, 4.1);  // five standard errors of a uniform place
}

TEST(SamplePositions, HashIsNotConstant) {
  std::set<std::uint32_t> hashes;
  for (std::uint32_t i = 0; i < 32768; ++i) hashes.insert(sample_hash(i));
  EXPECT_EQ(hashes.size(), 32768u);
}

}  // namespace
}  // namespace keysieve::test

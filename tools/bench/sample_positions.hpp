// Which 16-byte vectors of a row the selection samples: the engine's own rule, asked the other way round, for the
// rows that are built against the sample.
#pragma once

#include <cstdint>

#include "cuda/block/sample_positions.hpp"

namespace keysieve::bench {

// Taken for plans without a sample: the row is then a hard one for nobody in particular.
inline constexpr int kDefaultLog2Samples = 9;

// `num_vectors` covers the live columns of a row whose first column is aligned to 16 bytes.
KEYSIEVE_HOST_DEVICE inline bool is_sampled_vector(std::int32_t vector, std::int32_t num_vectors, int log2_samples) {
  const std::int32_t samples = 1 << log2_samples;
  // The stratum that the vector lies in, and its neighbours: where strata are not whole vectors, they share some.
  const auto stratum = static_cast<std::int32_t>((static_cast<std::int64_t>(vector) << log2_samples) / num_vectors);
  const std::int32_t reach = samples / num_vectors + 1;
  const std::int32_t first = stratum > reach ? stratum - reach : 0;
  for (std::int32_t sample = first; sample < samples && sample <= stratum + reach; ++sample) {
    if (sample_vector(sample, num_vectors, log2_samples) == vector) return true;
  }
  return false;
}

}  // namespace keysieve::bench

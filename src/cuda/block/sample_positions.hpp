// Where a row is sampled: one vector in each of 2^log2_samples equal strata, at a hashed place inside it. Spread over
// the whole row, the newest columns included; no fixed stride that a periodic row could meet.
// A pure function, so that tests and benchmarks can build rows against it.
#pragma once

#include <cstdint>

#include "core/host_device.hpp"

namespace keysieve {

KEYSIEVE_HOST_DEVICE inline std::uint32_t sample_hash(std::uint32_t sample) {
  std::uint32_t x = sample * 0x9E3779B1u + 0x7F4A7C15u;
  x ^= x >> 16;
  x *= 0x21F0AAADu;
  x ^= x >> 15;
  return x;
}

// 0 <= sample < 2^log2_samples, log2_samples <= 15; the result is in [0, num_vectors).
KEYSIEVE_HOST_DEVICE inline std::int32_t sample_vector(std::int32_t sample, std::int32_t num_vectors,
                                                       int log2_samples) {
  const std::uint64_t place =
      (static_cast<std::uint64_t>(sample) << 16) | (sample_hash(static_cast<std::uint32_t>(sample)) >> 16);
  return static_cast<std::int32_t>((place * static_cast<std::uint64_t>(num_vectors)) >> (16 + log2_samples));
}

}  // namespace keysieve

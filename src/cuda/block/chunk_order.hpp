// The order in which the warps that share a row visit its chunks. A round is one chunk for every warp, side by side in
// memory; rounds come in a fixed pseudo-random order.
//
// The result does not depend on the order; the cost does: in a random order about k (1 + ln(n/k)) columns pass a
// running cutoff, whatever the row's shape, so an ascending row is nothing special.
//
// Visit v takes round v s mod 2^b, 2^b being the first power of two that is not below the number of rounds and s an odd
// number near 0.618 2^b: odd, so that every round comes once, and near the golden section, so that the first few visits
// are spread as evenly as any order can. Numbers past the last round are skipped (fewer than half, a few instructions
// each). Rows of few rounds go straight on: there is nothing to spread.
#pragma once

#include <cstdint>

#include "cuda/simt/simt.hpp"

namespace keysieve {

class ChunkOrder {
 public:
  static constexpr std::int32_t kStraightRounds = 8;

  // Visit `count` of a warp, counted from 0, goes to round `round`.
  struct Visit {
    std::int32_t count;
    std::int32_t round;
  };

  // Of warp `warp` of `warps`; the chunks are numbered from `first_chunk` on.
  KEYSIEVE_DEVICE ChunkOrder(std::int32_t num_chunks, std::int32_t warp, std::int32_t warps,
                             std::int32_t first_chunk = 0)
      : first_(first_chunk + warp), warps_(warps) {
    const std::int32_t rounds = quotient(num_chunks + warps - 1, warps);
    int bits = 3;
    if (rounds > kStraightRounds) bits = 64 - simt::leading_zeros(static_cast<std::uint64_t>(rounds - 1));
    mask_ = (1 << bits) - 1;
    step_ = rounds > kStraightRounds ? static_cast<std::int32_t>(0x9E3779B1u >> (32 - bits)) | 1 : 1;
    // A warp without a chunk in the last round has one visit less.
    visits_ = rounds - (warp < num_chunks - (rounds - 1) * warps ? 0 : 1);
  }

  // Round 0 comes first, and every warp that has a chunk at all has one there.
  KEYSIEVE_DEVICE Visit first() const { return {0, 0}; }
  KEYSIEVE_DEVICE bool has(std::int32_t count) const { return count < visits_; }
  KEYSIEVE_DEVICE bool has(const Visit& visit) const { return has(visit.count); }
  // The round after `round`; goes round in a circle.
  KEYSIEVE_DEVICE std::int32_t next_round(std::int32_t round) const {
    do {
      round = (round + step_) & mask_;
    } while (round >= visits_ && round > 0);
    return round;
  }
  KEYSIEVE_DEVICE Visit next(const Visit& visit) const { return {visit.count + 1, next_round(visit.round)}; }
  KEYSIEVE_DEVICE std::int32_t warps() const { return warps_; }
  KEYSIEVE_DEVICE std::int32_t chunk_of_round(std::int32_t round) const { return round * warps_ + first_; }

 private:
  static_assert(kStraightRounds == 8);  // their circle has 3 bits

  // a / b of whole numbers below 2^24, b > 0: a division by an unknown number is a long subroutine on a GPU.
  KEYSIEVE_DEVICE static std::int32_t quotient(std::int32_t a, std::int32_t b) {
    auto result = static_cast<std::int32_t>(simt::approximate_quotient(static_cast<float>(a), static_cast<float>(b)));
    std::int32_t rest = a - result * b;
    KEYSIEVE_NO_UNROLL
    for (; rest < 0; rest += b) --result;
    KEYSIEVE_NO_UNROLL
    for (; rest >= b; rest -= b) ++result;
    return result;
  }

  std::int32_t first_;  // the warp's chunk of round 0
  std::int32_t warps_;
  std::int32_t visits_;
  std::int32_t mask_;
  std::int32_t step_;
};

}  // namespace keysieve

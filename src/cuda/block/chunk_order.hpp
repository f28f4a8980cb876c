// The order in which the warps that share a row visit its chunks. A round is one chunk for every warp, side by side in
// memory; rounds come in a fixed pseudo-random order.
//
// The result does not depend on the order; the cost does: in a random order about k (1 + ln(n/k)) columns pass a
// running cutoff, whatever the row's shape, so an ascending row is nothing special.
//
// Visit v takes round v F(m-1) mod F(m), F(m) being the first Fibonacci number that is not below the number of rounds:
// neighbouring Fibonacci numbers have no common factor, so every round comes once, and their ratio spreads the first
// few visits as evenly as any order can. Numbers past the last round are skipped (at most 38 %, one addition each).
// Rows of few rounds go straight on: there is nothing to spread.
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
    const std::int32_t rounds = (num_chunks + warps - 1) / warps;
    modulus_ = rounds > 0 ? rounds : 1;
    step_ = 1;
    if (rounds > kStraightRounds) {
      modulus_ = 2;
      KEYSIEVE_NO_UNROLL
      while (modulus_ < rounds) {
        const std::int32_t next = step_ + modulus_;
        step_ = modulus_;
        modulus_ = next;
      }
    }
    // A warp without a chunk in the last round has one visit less.
    visits_ = warp < num_chunks ? (num_chunks - warp - 1) / warps + 1 : 0;
  }

  // Round 0 comes first, and every warp that has a chunk at all has one there.
  KEYSIEVE_DEVICE Visit first() const { return {0, 0}; }
  KEYSIEVE_DEVICE bool has(std::int32_t count) const { return count < visits_; }
  KEYSIEVE_DEVICE bool has(const Visit& visit) const { return has(visit.count); }
  // The round after `round`; goes round in a circle.
  KEYSIEVE_DEVICE std::int32_t next_round(std::int32_t round) const {
    do {
      round += step_;
      if (round >= modulus_) round -= modulus_;
    } while (round >= visits_ && round > 0);
    return round;
  }
  KEYSIEVE_DEVICE Visit next(const Visit& visit) const { return {visit.count + 1, next_round(visit.round)}; }
  KEYSIEVE_DEVICE std::int32_t chunk_of_round(std::int32_t round) const { return round * warps_ + first_; }

 private:
  std::int32_t first_;  // the warp's chunk of round 0
  std::int32_t warps_;
  std::int32_t visits_;
  std::int32_t modulus_;
  std::int32_t step_;
};

}  // namespace keysieve

// A row's chunks: what a warp takes between two looks at the candidate buffer, and the order in which warps visit them.
//
// The result does not depend on the order; the cost does: in a fixed pseudo-random order about k (1 + ln(n/k)) columns
// pass a running cutoff, whatever the row's shape, so an ascending row is nothing special.
//
// Visit v stands at place v F(m-1) mod F(m), F(m) being the first Fibonacci number that is not below the number of
// chunks: neighbouring Fibonacci numbers have no common factor, so every place comes once, and their ratio spreads the
// first few visits as evenly as any order can. Places past the last chunk are skipped (at most 38 %, one addition
// each). Short rows go straight on: with few visits a warp there is nothing to spread, and skips would leave warps
// idle.
#pragma once

#include <cstdint>

#include "cuda/simt/simt.hpp"

namespace keysieve {

class ChunkOrder {
 public:
  static constexpr std::int32_t kStraightVisits = 8;

  struct Visit {
    std::int32_t number;
    std::int32_t chunk;
  };

  // Of warp `warp` of `warps` that share the chunks.
  KEYSIEVE_DEVICE ChunkOrder(std::int32_t num_chunks, std::int32_t warp, std::int32_t warps)
      : num_chunks_(num_chunks), modulus_(num_chunks), number_step_(warps), chunk_step_(warps), first_{warp, warp} {
    if (num_chunks > kStraightVisits * static_cast<std::int64_t>(warps)) {
      std::int32_t previous = 1;
      modulus_ = 2;
      KEYSIEVE_NO_UNROLL
      while (modulus_ < num_chunks) {
        const std::int32_t next = previous + modulus_;
        previous = modulus_;
        modulus_ = next;
      }
      first_.chunk = static_cast<std::int32_t>(static_cast<std::int64_t>(warp) * previous % modulus_);
      chunk_step_ = static_cast<std::int32_t>(static_cast<std::int64_t>(warps) * previous % modulus_);
    }
    if (has(first_) && first_.chunk >= num_chunks_) first_ = next(first_);
  }

  KEYSIEVE_DEVICE Visit first() const { return first_; }
  KEYSIEVE_DEVICE bool has(const Visit& visit) const { return visit.number < modulus_; }
  // May be called past the end.
  KEYSIEVE_DEVICE Visit next(Visit visit) const {
    do {
      visit.number += number_step_;
      visit.chunk += chunk_step_;
      if (visit.chunk >= modulus_) visit.chunk -= modulus_;
    } while (visit.chunk >= num_chunks_ && has(visit));
    return visit;
  }

 private:
  std::int32_t num_chunks_;
  std::int32_t modulus_;
  std::int32_t number_step_;
  std::int32_t chunk_step_;
  Visit first_;
};

}  // namespace keysieve

// The strict total order that makes selection exact: the score key above, a tie-breaking number below. No two
// columns of a row are equal, so "the k best" is one set and a full buffer can always be reduced to exactly k.
#pragma once

#include <cstdint>

#include "core/key_order.hpp"

namespace keysieve {

using Composite = std::uint64_t;

// How equal keys are told apart: the position, inverted where the smaller one wins.
struct TieOrder {
  std::uint32_t flip;  // all ones: smaller positions first; 0: larger first

  KEYSIEVE_HOST_DEVICE std::uint32_t rank(std::int64_t position) const {
    return static_cast<std::uint32_t>(position) ^ flip;
  }
  KEYSIEVE_HOST_DEVICE std::int64_t position(std::uint32_t rank) const {
    return static_cast<std::int64_t>(rank ^ flip);
  }
};

KEYSIEVE_HOST_DEVICE inline Composite make_composite(Key key, std::uint32_t rank) {
  return (static_cast<Composite>(key) << 32) | rank;
}
KEYSIEVE_HOST_DEVICE inline Key key_of(Composite composite) { return static_cast<Key>(composite >> 32); }
KEYSIEVE_HOST_DEVICE inline std::uint32_t rank_of(Composite composite) { return static_cast<std::uint32_t>(composite); }

// What a running selection still takes: keys above `key`, and equal ones in chunks whose rank is at least `chunk_rank`.
// Ties are cut between chunks (chunk_order.hpp), not inside one, so that all lanes of a warp test against one number;
// taking some columns too many costs a little buffer space and changes no result.
struct Cutoff {
  Key key = 0;
  std::uint32_t chunk_rank = 0;
};

}  // namespace keysieve

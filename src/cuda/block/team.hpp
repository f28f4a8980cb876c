// Who shares a row that lies in registers: one block, or the blocks of a cluster. What the algorithm asks of all
// threads together it asks of a team.
#pragma once

#include "cuda/block/register_bins.hpp"

namespace keysieve {

// Of a number that every block of a team has.
struct TeamSum {
  std::uint32_t before;  // of the blocks in front
  std::uint32_t total;
};

// `exchange`: which of the team's places for such an exchange is used; none of them twice in a row.
class OneBlock {
 public:
  KEYSIEVE_DEVICE explicit OneBlock(const Block& block) : block_(block) {}

  KEYSIEVE_DEVICE static int rank() { return 0; }

  // All threads: the range of all their keys. Ends behind a barrier.
  KEYSIEVE_DEVICE KeyRange range(int exchange, const KeyRange& mine) const {
    return range_of_block(block_.early_partials(2 * exchange), mine);
  }
  // All threads: see find_bin_by_block.
  KEYSIEVE_DEVICE FoundBin find_bin(std::uint32_t wanted) const {
    simt::sync_block();
    return find_bin_by_block(block_, wanted);
  }
  // All threads, `of_block` the same in all of a block's.
  KEYSIEVE_DEVICE TeamSum sum(int, std::uint32_t of_block) const { return {0, of_block}; }

  // `value` as entry `index` of `entries` in the first block, visible there behind `sync`.
  KEYSIEVE_DEVICE static void store_in_first(Composite* entries, std::int32_t index, Composite value) {
    entries[index] = value;
  }
  KEYSIEVE_DEVICE static void sync() { simt::sync_block(); }

 private:
  const Block& block_;
};

}  // namespace keysieve

// Sorts composites in shared memory, largest first: a bitonic network, log2(n)^2 / 2 barriers. Only for orders that ask
// for it; the set is known before.
#pragma once

#include "cuda/block/block.hpp"
#include "cuda/block/limits.hpp"

namespace keysieve {

// The first `count` entries; those behind, up to the next power of two, are overwritten. All threads; everything is
// visible before and after.
KEYSIEVE_DEVICE void sort_descending(Composite* entries, std::int32_t count) {
  const std::int32_t padded = power_of_two_at_least(count);
  KEYSIEVE_NO_UNROLL
  for (std::int32_t i = count + simt::thread_index(); i < padded; i += simt::block_threads()) entries[i] = 0;
  simt::sync_block();
  KEYSIEVE_NO_UNROLL
  for (std::int32_t size = 2; size <= padded; size *= 2) {
    KEYSIEVE_NO_UNROLL
    for (std::int32_t stride = size / 2; stride >= 1; stride /= 2) {
      KEYSIEVE_NO_UNROLL
      for (std::int32_t pair = simt::thread_index(); pair < padded / 2; pair += simt::block_threads()) {
        const std::int32_t i = 2 * pair - (pair & (stride - 1));
        const Composite first = entries[i];
        const Composite second = entries[i + stride];
        const bool descending = (i & size) == 0;
        if ((first < second) == descending) {
          entries[i] = second;
          entries[i + stride] = first;
        }
      }
      simt::sync_block();
    }
  }
}

}  // namespace keysieve

// Candidates that passed the running cutoff, in shared memory. A buffer that would overflow is reduced to its k best,
// which raises the cutoff; so nothing is ever dropped that could belong to the answer, whatever the input.
//
// A candidate is appended as it is found, bits and code (row_chunks.hpp), by a few lanes at a time; it becomes a
// composite later, when all lanes have one to work on.
#pragma once

#include "cuda/block/block.hpp"
#include "cuda/block/block_select.hpp"

namespace keysieve {

// Keeps the candidates at or above `threshold`, in place, in their order. All threads; ends with a barrier.
// A piece of one block width is read before it is written, and its survivors move to the front or stay.
KEYSIEVE_DEVICE void keep_at_or_above(const Block& block, std::int32_t num_candidates, Composite threshold) {
  std::uint32_t kept = 0;
  KEYSIEVE_NO_UNROLL
  for (std::int32_t first = 0; first < num_candidates; first += simt::block_threads()) {
    const std::int32_t i = first + simt::thread_index();
    const Composite candidate = i < num_candidates ? block.candidates[i] : 0;
    const bool keep = i < num_candidates && candidate >= threshold;
    const BlockSum sum = block_exclusive_sum(block.partials, keep ? 1u : 0u);
    if (keep) block.candidates[kept + sum.before] = candidate;
    kept += sum.total;
    simt::sync_block();
  }
  if (simt::thread_index() == 0) {
    block.state->num_candidates = kept;
    block.state->num_keyed = kept;
  }
  simt::sync_block();
}

// Turns what was appended since into composites, counted where their range is known and more than k are there. All
// threads, behind a barrier; one must follow. None lies below the cutoff in force.
template <typename Format, typename Row>
KEYSIEVE_DEVICE Histogram key_candidates(const Block& block, const Row& row) {
  const auto num_candidates = static_cast<std::int32_t>(block.state->num_candidates);
  const auto num_keyed = static_cast<std::int32_t>(block.state->num_keyed);
  const Key highest = block.state->highest_key;
  const bool knows_range = num_candidates > block.k && highest != 0;
  const Search search = search_keys(block.state->cutoff.key, highest);
  KEYSIEVE_UNROLL_BY_4
  for (std::int32_t i = simt::thread_index(); i < num_candidates; i += simt::block_threads()) {
    Composite candidate = block.candidates[i];
    if (i >= num_keyed) {
      const auto bits = static_cast<typename Format::Bits>(candidate >> 32);
      const std::uint32_t position = row.position_of_code(static_cast<std::uint32_t>(candidate));
      candidate = make_composite(ordered_key<Format>(bits, block.nan_key), block.ties.rank(position));
      block.candidates[i] = candidate;
    }
    if (knows_range) simt::atomic_add(&block.bins[search.bin(candidate)], 1);
  }
  return {search, knows_range};
}

// Reduces more than k candidates to the k best, which are those at or above `threshold`. All threads; ends with a
// barrier.
KEYSIEVE_DEVICE void compact(const Block& block, std::int32_t num_candidates, Composite threshold) {
  keep_at_or_above(block, num_candidates, threshold);
  if (simt::thread_index() == 0) ++block.state->compactions;
}

// Adds `count` composites that `read(i)` yields, reducing the buffer in between as often as it fills up. All threads.
template <typename Read>
KEYSIEVE_DEVICE void add_candidates(const Block& block, std::int32_t count, const Read& read) {
  KEYSIEVE_NO_UNROLL
  for (std::int32_t done = 0; done < count;) {
    if (static_cast<std::int32_t>(block.state->num_candidates) == block.capacity) {
      compact(block, block.capacity, block_select(block, block.capacity, block.k, nothing_counted()));
    }
    const auto present = static_cast<std::int32_t>(block.state->num_candidates);
    const std::int32_t room = block.capacity - present;
    const std::int32_t batch = room < count - done ? room : count - done;
    KEYSIEVE_NO_UNROLL
    for (std::int32_t i = simt::thread_index(); i < batch; i += simt::block_threads()) {
      block.candidates[present + i] = read(done + i);
    }
    simt::sync_block();
    if (simt::thread_index() == 0) {
      block.state->num_candidates = static_cast<std::uint32_t>(present + batch);
      block.state->num_keyed = static_cast<std::uint32_t>(present + batch);
    }
    simt::sync_block();
    done += batch;
  }
}

}  // namespace keysieve

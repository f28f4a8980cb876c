// A row in shared memory: how it gets there, and one pass over it that lists what a cutoff takes in the order of the
// row. For the usual case only (is_plain): everything else goes by stream.hpp, which needs no order and no luck.
//
// A thread has 32 neighbouring columns, a bit each of one word; a scan over the block gives it its places in the list.
// What is listed is a column's number alone: keys are made later, when every lane has one to make.
#pragma once

#include "cuda/block/block_scan.hpp"
#include "cuda/block/candidate_buffer.hpp"
#include "cuda/block/row_chunks.hpp"

namespace keysieve {

// Groups of kGroupColumns that a row's vectors fill, the last one perhaps in part.
template <typename Format>
KEYSIEVE_DEVICE std::int32_t num_groups(const RowVectors<Format>& row) {
  constexpr std::int32_t kGroup = group_vectors(Format::kWidth / 8);
  return (row.num_vectors() + kGroup - 1) / kGroup;
}

// The part of a row that the copy engine can take: whole 16-byte vectors inside the window.
template <typename Format>
struct CopiedPart {
  std::int32_t first;
  std::int32_t end;

  KEYSIEVE_DEVICE explicit CopiedPart(const RowVectors<Format>& row)
      : first(row.first_interior()), end(row.end_interior() > first ? row.end_interior() : first) {}
  KEYSIEVE_DEVICE std::uint32_t bytes() const { return static_cast<std::uint32_t>(end - first) * 16; }
};

// Starts the copy of a row to shared memory, once a kernel. All lanes of one warp; the row is there for all threads
// after a barrier and `finish_copy`, but for the ends.
template <typename Format>
KEYSIEVE_DEVICE void start_copy(const Block& block, const RowVectors<Format>& row) {
  const CopiedPart<Format> part(row);
  simt::start_bulk_copy(&block.state->copy_barrier, block.tile + part.first, row.interior(part.first), part.bytes());
}

// The vectors of a row that reach past its window, where the copy of `copied`, which may be longer, leaves them out.
// One warp, before a barrier.
template <typename Format>
KEYSIEVE_DEVICE void copy_ends(const Block& block, const RowVectors<Format>& row, const RowVectors<Format>& copied) {
  const CopiedPart<Format> part(copied);
  if (simt::lane_index() == 0 && part.first == 1) block.tile[0] = row.load(0);
  if (simt::lane_index() == 1 && part.end >= part.first && part.end < row.num_vectors()) {
    block.tile[part.end] = row.load(part.end);
  }
}

// All threads, behind the barrier that follows start_copy. `row`: the one whose copy was started.
template <typename Format>
KEYSIEVE_DEVICE void finish_copy(const Block& block, const RowVectors<Format>& row) {
  const CopiedPart<Format> part(row);
  simt::finish_bulk_copy(&block.state->copy_barrier, block.tile + part.first, row.interior(part.first), part.bytes());
}

// Bit c: column c of a group is live.
template <typename Format>
KEYSIEVE_DEVICE std::uint32_t live_columns_of_group(const RowVectors<Format>& row, std::int32_t group) {
  std::uint32_t live = 0xFFFFFFFFu;
  if (group == 0) live <<= row.lead();
  const std::int32_t end = row.lead() + row.length() - group * kGroupColumns;
  if (end < kGroupColumns) live &= (1u << end) - 1;
  return live;
}

// The number of columns that `cutoff` takes, which is_plain; the same in all threads. If they fit the buffer they are
// listed there in ascending order, as column numbers. A barrier must follow.
template <typename Format>
KEYSIEVE_DEVICE std::int32_t list_taken(const Block& block, const TileRow<Format>& row, const Cutoff& cutoff) {
  constexpr std::int32_t kGroup = group_vectors(Format::kWidth / 8);
  constexpr int kColumns = kVectorColumns<Format>;
  const float below_equal = value_below<Format>(cutoff.key);
  const float below_above =
      cutoff.chunk_rank == 0 ? below_equal : value_below<Format>(static_cast<std::uint64_t>(cutoff.key) + 1);
  const std::int32_t groups = num_groups<Format>(row.vectors());
  // Lanes take the vectors of their groups in different order: 16-byte reads of eight lanes must lie in different
  // banks.
  const int turn = simt::lane_index() * kGroup / 8 % kGroup;
  std::int32_t total = 0;
  KEYSIEVE_NO_UNROLL
  for (std::int32_t first = 0; first < groups; first += simt::block_threads()) {
    const std::int32_t group = first + simt::thread_index();
    std::uint32_t taken = 0;
    if (group < groups) {
      const bool equal = block.ties.rank(group * kGroup / TileRow<Format>::kChunkVectors) >= cutoff.chunk_rank;
      const float below = equal ? below_equal : below_above;
      KEYSIEVE_UNROLL
      for (int i = kGroup - 1; i >= 0; --i) {
        // Each vector's bits on their own: a chain through all of them would take four times as long.
        const std::uint32_t vector_taken =
            shift_in_taken<Format>(0, block.tile[group * kGroup + (i + turn) % kGroup], below);
        taken = (taken << kColumns) | vector_taken;
      }
      taken = simt::rotate_left(taken, turn * kColumns) & live_columns_of_group(row.vectors(), group);
    }
    if (first > 0) simt::sync_block();  // the sums of the last round have been read
    const BlockSum sum = block_exclusive_sum(block.partials, static_cast<std::uint32_t>(simt::count_ones(taken)));
    std::int32_t end = total + static_cast<std::int32_t>(sum.before) + simt::count_ones(taken);
    total += static_cast<std::int32_t>(sum.total);
    if (total > block.capacity) continue;
    const std::uint32_t code = static_cast<std::uint32_t>(group) * kGroupColumns;
    KEYSIEVE_NO_UNROLL
    while (taken != 0) {  // the highest bit first: it is found in one instruction, the lowest in two
      const int column = simt::highest_bit(taken);
      taken ^= 1u << column;
      block.candidates[--end] = code + static_cast<std::uint32_t>(column);
    }
  }
  return total;
}

// What list_taken listed becomes composites, counted into the bins of `search` if `counts`. All threads, behind a
// barrier; one must follow.
template <typename Format>
KEYSIEVE_DEVICE void key_listed(const Block& block, const TileRow<Format>& row, std::int32_t num_candidates,
                                const Search& search, bool counts) {
  KEYSIEVE_UNROLL_BY_4
  for (std::int32_t i = simt::thread_index(); i < num_candidates; i += simt::block_threads()) {
    const auto code = static_cast<std::uint32_t>(block.candidates[i]);
    const Key key = ordered_key<Format>(row.bits_of_code(code), block.nan_key);
    block.candidates[i] = make_composite(key, block.ties.rank(row.position_of_code(code)));
    if (counts) simt::atomic_add(&block.bins[search.bins.bin(key)], 1);
  }
}

// Every live column of a row of `length` becomes a candidate; the buffer holds them all. A barrier must follow.
template <typename Format>
KEYSIEVE_DEVICE void key_all(const Block& block, const TileRow<Format>& row, std::int32_t length) {
  const auto first_code = static_cast<std::uint32_t>(row.vectors().lead());
  bool nan_seen = false;
  KEYSIEVE_UNROLL_BY_4
  for (std::int32_t i = simt::thread_index(); i < length; i += simt::block_threads()) {
    const auto bits = row.bits_of_code(first_code + static_cast<std::uint32_t>(i));
    nan_seen |= is_nan<Format>(bits);
    block.candidates[i] = make_composite(ordered_key<Format>(bits, block.nan_key), block.ties.rank(i));
  }
  if (nan_seen && block.check_nan) block.state->nan_seen = 1;  // every writer writes the same
}

}  // namespace keysieve

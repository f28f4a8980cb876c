// The block table of each row, a CTA a row. No comparisons: a bit for each block of the row, set by its id, from which
// the ids are read off in order and each once. Rows with more blocks than the bitmap has bits (a million positions and
// more) are taken in pieces, each a few steps longer than the last; the ids stay in registers meanwhile.
//
// Shared memory: 32 partial sums, the bitmap, the list of ids.
#pragma once

#include "candidates/sort_blocks.hpp"
#include "cuda/block/block_scan.hpp"
#include "cuda/operation/report_errors.hpp"

namespace keysieve {

// Appends the set bits of `words` words to the list behind `count` entries, and clears them. All threads; starts behind
// a barrier. Each warp has a run of words, its lanes word by word, so that a dense stretch is shared.
KEYSIEVE_DEVICE std::int32_t list_bits(std::uint32_t* partials, std::uint32_t* bitmap, std::int32_t words,
                                       std::int32_t first_id, std::int32_t* list, std::int32_t count) {
  const int lane = simt::lane_index();
  const int warp = simt::warp_index();
  const std::int32_t per_round = simt::block_threads();
  const std::int32_t run = (words + per_round - 1) / per_round * simt::kWarpLanes;
  const std::int32_t begin = warp * run;
  const std::int32_t end = begin + run < words ? begin + run : words;
  std::uint32_t mine = 0;
  KEYSIEVE_UNROLL_BY_4
  for (std::int32_t i = begin + lane; i < end; i += simt::kWarpLanes) {
    mine += static_cast<std::uint32_t>(simt::count_ones(bitmap[i]));
  }
  const BlockSum sum = block_exclusive_sum(partials, mine);
  std::uint32_t place = static_cast<std::uint32_t>(count) + simt::shuffle(sum.before, 0);
  // Four scans side by side take little longer than one.
  constexpr int kAtOnce = 4;
  KEYSIEVE_NO_UNROLL
  for (std::int32_t i = begin; i < end; i += kAtOnce * simt::kWarpLanes) {
    std::uint32_t found[kAtOnce], through[kAtOnce];
    KEYSIEVE_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      const std::int32_t at = i + k * simt::kWarpLanes + lane;
      found[k] = 0;
      if (at < end) {
        found[k] = bitmap[at];
        bitmap[at] = 0;
      }
    }
    KEYSIEVE_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      through[k] = warp_inclusive_sum(static_cast<std::uint32_t>(simt::count_ones(found[k])));
    }
    KEYSIEVE_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      std::uint32_t word = found[k];
      std::uint32_t next = place + through[k] - static_cast<std::uint32_t>(simt::count_ones(word));
      const std::int32_t id = first_id + (i + k * simt::kWarpLanes + lane) * 32;
      KEYSIEVE_NO_UNROLL
      while (word != 0) {
        list[next++] = id + simt::lowest_bit(word);
        word &= word - 1;
      }
      place += simt::shuffle(through[k], simt::kWarpLanes - 1);
    }
  }
  return count + static_cast<std::int32_t>(sum.total);
}

// The distinct ids, of a thread's `ids`, of a row with more than `kept` blocks, ascending, in the list; how many. A
// barrier must follow.
KEYSIEVE_DEVICE std::int32_t list_selected(const SortBlocksParams& params, std::int32_t num_blocks,
                                           std::int32_t (&ids)[SortBlocks::kIdsPerThread], std::uint32_t* partials,
                                           std::uint32_t* bitmap, std::int32_t* list, std::uint32_t& errors) {
  constexpr int kIds = SortBlocks::kIdsPerThread;
  KEYSIEVE_UNROLL
  for (int i = 0; i < kIds; ++i) {
    if (ids[i] >= 0 && ids[i] < num_blocks) continue;
    if (!is_padding(ids[i])) errors |= KEYSIEVE_ERROR_BAD_ID;
    ids[i] = -1;
  }
  std::int32_t count = 0;
  const std::int32_t bits = params.bitmap_words * 32;
  simt::sync_block();  // the bitmap is clear
  KEYSIEVE_NO_UNROLL
  for (std::int32_t first = 0; first < num_blocks; first += bits) {
    const std::int32_t left = num_blocks - first;
    bool any = false;
    KEYSIEVE_UNROLL
    for (int i = 0; i < kIds; ++i) {
      const std::int32_t bit = ids[i] - first;
      if (ids[i] < 0 || bit < 0 || bit >= bits) continue;
      simt::atomic_or(&bitmap[bit / 32], 1u << (bit % 32));
      any = true;
    }
    if (!simt::sync_block_or(any)) continue;
    count = list_bits(partials, bitmap, left < bits ? (left + 31) / 32 : params.bitmap_words, first, list, count);
    if (left > bits) simt::sync_block();
  }
  return count;
}

// The ids of a row and where they lie. `list` null: 0, 1, ...
KEYSIEVE_DEVICE void write_blocks(const SortBlocksParams& params, const SlotLine& line, std::int64_t row,
                                  const std::int32_t* list, std::int32_t count, std::uint32_t& errors) {
  constexpr int kAtOnce = 4;
  const std::int32_t threads = simt::block_threads();
  std::int32_t* blocks = params.blocks + row * params.blocks_row_stride;
  std::int32_t* phys = params.phys != nullptr ? params.phys + row * params.phys_row_stride : nullptr;
  KEYSIEVE_NO_UNROLL
  for (std::int32_t first = simt::thread_index(); first < params.kept; first += kAtOnce * threads) {
    std::int32_t id[kAtOnce], entry[kAtOnce];
    KEYSIEVE_UNROLL
    for (int i = 0; i < kAtOnce; ++i) {
      const std::int32_t j = first + i * threads;
      id[i] = j >= count ? kNoBlock : list == nullptr ? j : list[j];
    }
    if (phys != nullptr) {
      KEYSIEVE_UNROLL
      for (int i = 0; i < kAtOnce; ++i) entry[i] = id[i] != kNoBlock ? entry_of(params.table, line, id[i]) : -1;
    }
    KEYSIEVE_UNROLL
    for (int i = 0; i < kAtOnce; ++i) {
      const std::int32_t j = first + i * threads;
      if (j >= params.kept) continue;
      blocks[j] = id[i];
      if (phys == nullptr) continue;
      phys[j] = id[i] != kNoBlock ? slot_of_entry(params.table, entry[i], id[i], errors) : kNoBlock;
    }
  }
}

KEYSIEVE_DEVICE void sort_blocks(const SortBlocksParams& params) {
  simt::wait_for_dependencies();
  auto* partials = reinterpret_cast<std::uint32_t*>(simt::shared_memory());
  std::uint32_t* bitmap = partials + 32;
  auto* list = reinterpret_cast<std::int32_t*>(bitmap + params.bitmap_words);
  const std::int64_t row = simt::block_index();
  std::uint32_t errors = 0;
  const std::int32_t given_length = params.lengths[row];
  const SlotLine line = line_of_row(params.table, row);
  // A row that keeps all of its blocks has no use for the ids, but waiting for the length first costs the others a
  // round trip to memory.
  constexpr int kIds = SortBlocks::kIdsPerThread;
  const std::int32_t* selected = params.selected + row * params.selected_row_stride;
  std::int32_t ids[kIds];
  KEYSIEVE_UNROLL
  for (int i = 0; i < kIds; ++i) {
    const std::int32_t j = i * simt::block_threads() + simt::thread_index();
    ids[i] = j < params.kept ? selected[j] : -1;
  }
  // While they are on their way.
  KEYSIEVE_NO_UNROLL
  for (std::int32_t i = simt::thread_index(); i < params.bitmap_words / 4; i += simt::block_threads()) {
    reinterpret_cast<simt::Vector*>(bitmap)[i] = simt::Vector{};
  }
  std::int64_t length = live_length(given_length, 0x7FFFFFFF, errors);
  if (line.is_empty_row) length = 0;
  const auto num_blocks = static_cast<std::int32_t>((length + (1 << params.block_shift) - 1) >> params.block_shift);
  const bool keeps_all = num_blocks <= params.kept;
  std::int32_t count = num_blocks;
  if (!keeps_all) {
    count = list_selected(params, num_blocks, ids, partials, bitmap, list, errors);
    simt::sync_block();
  }
  write_blocks(params, line, row, keeps_all ? nullptr : list, count, errors);
  if (simt::thread_index() == 0) {
    std::int64_t valid = 0;
    if (count > 0) {
      const std::int64_t last = keeps_all ? count - 1 : list[count - 1];
      const std::int64_t of_last = length - (last << params.block_shift);
      const std::int64_t size = std::int64_t{1} << params.block_shift;
      valid = (static_cast<std::int64_t>(count - 1) << params.block_shift) + (of_last < size ? of_last : size);
    }
    if (params.counts != nullptr) params.counts[row] = count;
    if (params.valid != nullptr) params.valid[row] = static_cast<std::int32_t>(valid);
  }
  report_errors(params.error_word, errors);
}

}  // namespace keysieve

// Candidates one by one. A CTA takes a chunk of the columns of a row, two a thread where they can be stored together;
// one more CTA a row counts.
#pragma once

#include "candidates/candidate_slots.hpp"
#include "cuda/block/block_scan.hpp"
#include "cuda/operation/report_errors.hpp"
#include "cuda/simt/numbers.hpp"

namespace keysieve {

KEYSIEVE_DEVICE bool is_candidate_block(std::int32_t id, std::int64_t length, int block_shift, std::uint32_t& errors) {
  if (id >= 0 && (static_cast<std::int64_t>(id) << block_shift) < length) return true;
  if (!is_padding(id)) errors |= KEYSIEVE_ERROR_BAD_ID;
  return false;
}

// All threads.
KEYSIEVE_DEVICE void count_candidates(const CandidateSlotsParams& params, std::int64_t row, std::int64_t length) {
  const std::int32_t* blocks = params.blocks + row * params.blocks_row_stride;
  const std::int64_t kept = params.columns >> params.block_shift;
  const std::int64_t size = std::int64_t{1} << params.block_shift;
  std::uint32_t mine = 0, errors = 0;
  if (length > 0) {
    KEYSIEVE_UNROLL_BY_4
    for (std::int64_t j = simt::thread_index(); j < kept; j += simt::block_threads()) {
      const std::int32_t id = blocks[j];
      if (!is_candidate_block(id, length, params.block_shift, errors)) continue;
      const std::int64_t left = length - (static_cast<std::int64_t>(id) << params.block_shift);
      mine += static_cast<std::uint32_t>(left < size ? left : size);
    }
  }
  auto* partials = reinterpret_cast<std::uint32_t*>(simt::shared_memory());
  const std::uint32_t total = block_exclusive_sum(partials, mine).total;
  if (simt::thread_index() == 0) params.counts[row] = static_cast<std::int32_t>(total);
  report_errors(params.error_word, errors);
  simt::sync_block();
}

// Position of a column whose block is `id`.
KEYSIEVE_DEVICE std::int64_t first_position(const CandidateSlotsParams& params, std::int32_t id, std::int64_t column) {
  return (static_cast<std::int64_t>(id) << params.block_shift) + (column & ((1 << params.block_shift) - 1));
}

template <int kColumns>
KEYSIEVE_DEVICE void write_candidates(const CandidateSlotsParams& params, const SlotLine& line, std::int64_t row,
                                      std::int64_t length, std::int64_t chunk) {
  const std::int32_t* blocks = params.blocks + row * params.blocks_row_stride;
  std::int64_t* positions = params.positions + row * params.positions_row_stride;
  std::int32_t* slots = params.slots + row * params.slots_row_stride;
  const std::int64_t begin = chunk * CandidateSlots::columns_of_chunk(kColumns == 2);
  constexpr int kAtOnce = CandidateSlots::kPiecesAtOnce;
  std::int32_t id[kAtOnce], entry[kAtOnce][kColumns];
  KEYSIEVE_UNROLL
  for (int i = 0; i < kAtOnce; ++i) {
    const std::int64_t column = begin + (i * CandidateSlots::kThreads + simt::thread_index()) * kColumns;
    // Both columns of a pair lie in one block. What is no block is reported by those who count.
    id[i] = column < params.columns ? blocks[column >> params.block_shift] : -1;
  }
  KEYSIEVE_UNROLL
  for (int i = 0; i < kAtOnce; ++i) {
    const std::int64_t column = begin + (i * CandidateSlots::kThreads + simt::thread_index()) * kColumns;
    const std::int64_t first = first_position(params, id[i], column);
    KEYSIEVE_UNROLL
    for (int c = 0; c < kColumns; ++c) {
      const bool is_live = id[i] >= 0 && first + c < length;
      entry[i][c] = is_live ? entry_of(params.table, line, static_cast<std::int32_t>(first + c)) : -1;
    }
  }
  std::uint32_t errors = 0;
  KEYSIEVE_UNROLL
  for (int i = 0; i < kAtOnce; ++i) {
    const std::int64_t column = begin + (i * CandidateSlots::kThreads + simt::thread_index()) * kColumns;
    if (column >= params.columns) continue;
    const std::int64_t first = first_position(params, id[i], column);
    std::int64_t position[kColumns];
    std::int32_t slot[kColumns];
    KEYSIEVE_UNROLL
    for (int c = 0; c < kColumns; ++c) {
      const bool is_live = id[i] >= 0 && first + c < length;
      position[c] = is_live ? first + c : -1;
      slot[c] = is_live ? slot_of_entry(params.table, entry[i][c], static_cast<std::int32_t>(first + c), errors) : -1;
    }
    if constexpr (kColumns == 2) {
      simt::Vector pair;
      KEYSIEVE_UNROLL
      for (int c = 0; c < 2; ++c) {
        pair.words[2 * c] = static_cast<std::uint32_t>(position[c]);
        pair.words[2 * c + 1] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(position[c]) >> 32);
      }
      simt::store_vector(positions + column, pair);
      *reinterpret_cast<std::uint64_t*>(slots + column) =
          static_cast<std::uint32_t>(slot[0]) | static_cast<std::uint64_t>(static_cast<std::uint32_t>(slot[1])) << 32;
    } else {
      positions[column] = position[0];
      slots[column] = slot[0];
    }
  }
  report_errors(params.error_word, errors);
}

KEYSIEVE_DEVICE void candidate_slots(const CandidateSlotsParams& params) {
  simt::wait_for_dependencies();
  const std::int64_t chunk = CandidateSlots::columns_of_chunk(params.pairs_fit != 0);
  const std::int64_t tasks = (params.columns + chunk - 1) / chunk + 1;
  KEYSIEVE_NO_UNROLL
  for (std::int64_t task = simt::block_index(); task < params.rows * tasks; task += simt::num_blocks()) {
    const std::int64_t row = task / tasks;
    const std::int64_t number = task - row * tasks;
    std::uint32_t errors = 0;
    std::int64_t length = live_length(params.lengths[row], 0x7FFFFFFF, errors);
    const SlotLine line = line_of_row(params.table, row);
    if (line.is_empty_row) length = 0;
    if (number == 0) {
      if (simt::thread_index() == 0) report_errors(params.error_word, errors);
      count_candidates(params, row, length);
    } else if (params.pairs_fit != 0) {
      write_candidates<2>(params, line, row, length, number - 1);
    } else {
      write_candidates<1>(params, line, row, length, number - 1);
    }
  }
}

}  // namespace keysieve

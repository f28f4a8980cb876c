// Slots of selected positions, each in its place: a thread has a few, whose loads are under way together.
#pragma once

#include "candidates/filter_pages.hpp"
#include "cuda/operation/good_scores.hpp"
#include "cuda/operation/report_errors.hpp"

namespace keysieve {

KEYSIEVE_DEVICE void filter_chunk(const FilterPagesParams& params, std::int64_t row, std::int64_t first) {
  constexpr int kAtOnce = FilterPages::kSlotsAtOnce;
  const SlotLine line = line_of_row(params.table, row);
  const std::int32_t* selected = params.selected + row * params.selected_row_stride;
  std::uint32_t errors = 0;
  std::int32_t chosen[kAtOnce];
  bool is_valid[kAtOnce];
  KEYSIEVE_UNROLL
  for (int i = 0; i < kAtOnce; ++i) {
    const std::int64_t j = first + i * FilterPages::kThreads + simt::thread_index();
    chosen[i] = j < params.k ? selected[j] : -1;
  }
  KEYSIEVE_UNROLL
  for (int i = 0; i < kAtOnce; ++i) {
    is_valid[i] = !line.is_empty_row && column_is_inside(chosen[i], params.width, errors);
  }
  // The table is asked whether the score is good or not: the two are under way together.
  std::int32_t entry[kAtOnce];
  KEYSIEVE_UNROLL
  for (int i = 0; i < kAtOnce; ++i) entry[i] = is_valid[i] ? entry_of(params.table, line, chosen[i]) : -1;
  keep_good_scores(params.scores, row, chosen, is_valid);
  KEYSIEVE_UNROLL
  for (int i = 0; i < kAtOnce; ++i) {
    const std::int64_t j = first + i * FilterPages::kThreads + simt::thread_index();
    if (j >= params.k) continue;
    params.out[row * params.out_row_stride + j] =
        is_valid[i] ? slot_of_entry(params.table, entry[i], chosen[i], errors) : -1;
    if (params.raw != nullptr) params.raw[row * params.raw_row_stride + j] = is_valid[i] ? chosen[i] : -1;
  }
  report_errors(params.error_word, errors);
}

KEYSIEVE_DEVICE void filter_pages(const FilterPagesParams& params) {
  simt::wait_for_dependencies();
  const std::int64_t chunks = (params.k + FilterPages::kSlotsOfChunk - 1) / FilterPages::kSlotsOfChunk;
  KEYSIEVE_NO_UNROLL
  for (std::int64_t task = simt::block_index(); task < params.rows * chunks; task += simt::num_blocks()) {
    const std::int64_t row = task / chunks;
    filter_chunk(params, row, (task - row * chunks) * FilterPages::kSlotsOfChunk);
  }
}

}  // namespace keysieve

// Selections finished, a CTA a row: keys of the valid entries, sorted unless they ascend already, then their slots.
//
// The sort is a bitonic network. Key g of 2^n lies in register g mod E of thread g / E: strides below E cost nothing
// but comparisons, those below 32 E a shuffle, the others a round through shared memory.
#pragma once

#include "candidates/finish_selection.hpp"
#include "cuda/operation/good_scores.hpp"
#include "cuda/operation/report_errors.hpp"

namespace keysieve {

// One of two keys that are compared: the smaller one if this is its place in the order of the run.
KEYSIEVE_DEVICE std::int32_t bitonic_pick(std::int32_t mine, std::int32_t other, bool takes_smaller) {
  const bool mine_is_smaller = mine < other;
  return mine_is_smaller == takes_smaller ? mine : other;
}

// All threads; a barrier is behind them. Leaves shared memory to others only behind the next barrier.
template <int kKeys>
KEYSIEVE_DEVICE void sort_keys(std::int32_t (&keys)[kKeys], std::int32_t* shared) {
  const std::int32_t threads = simt::block_threads();
  const std::int32_t thread = simt::thread_index();
  const std::int32_t all = threads * kKeys;
  KEYSIEVE_NO_UNROLL
  for (std::int32_t size = 2; size <= all; size *= 2) {
    KEYSIEVE_NO_UNROLL
    for (std::int32_t stride = size / 2; stride >= kKeys; stride /= 2) {
      // Strides of whole threads. All keys of a thread are on one side of the pair, and in one run, or size is small.
      const std::int32_t distance = stride / kKeys;
      const bool is_lower = (thread & distance) == 0;
      const bool ascends = ((thread * kKeys) & size) == 0;
      if (distance < simt::kWarpLanes) {
        KEYSIEVE_UNROLL
        for (int i = 0; i < kKeys; ++i) {
          keys[i] = bitonic_pick(keys[i], simt::shuffle_xor(keys[i], distance), is_lower == ascends);
        }
        continue;
      }
      simt::sync_block();
      KEYSIEVE_UNROLL
      for (int i = 0; i < kKeys; ++i) shared[i * threads + thread] = keys[i];
      simt::sync_block();
      KEYSIEVE_UNROLL
      for (int i = 0; i < kKeys; ++i) {
        keys[i] = bitonic_pick(keys[i], shared[i * threads + (thread ^ distance)], is_lower == ascends);
      }
    }
    KEYSIEVE_UNROLL
    for (int stride = kKeys / 2; stride >= 1; stride /= 2) {
      if (2 * stride > size) continue;
      KEYSIEVE_UNROLL
      for (int i = 0; i < kKeys; ++i) {
        if ((i & stride) != 0) continue;
        const bool ascends = ((thread * kKeys + i) & size) == 0;
        const std::int32_t low = keys[i], high = keys[i + stride];
        keys[i] = bitonic_pick(low, high, ascends);
        keys[i + stride] = bitonic_pick(high, low, !ascends);
      }
    }
  }
}

// Keys of a row, in shared memory: in any order before, ascending after. All threads; barriers are behind and in front.
template <int kKeys>
KEYSIEVE_DEVICE void order_keys(std::int32_t* shared) {
  const std::int32_t first = simt::thread_index() * kKeys;
  const std::int32_t all = simt::block_threads() * kKeys;
  std::int32_t keys[kKeys];
  bool falls = false;
  KEYSIEVE_UNROLL
  for (int i = 0; i < kKeys; ++i) {
    keys[i] = shared[first + i];
    if (i > 0) falls |= keys[i] < keys[i - 1];
  }
  if (first + kKeys < all) falls |= shared[first + kKeys] < keys[kKeys - 1];
  if (!simt::sync_block_or(falls)) return;
  sort_keys(keys, shared);
  simt::sync_block();
  KEYSIEVE_UNROLL
  for (int i = 0; i < kKeys; ++i) shared[first + i] = keys[i];
  simt::sync_block();
}

// Keys of a row's selection, in its order. All threads.
template <int kKeys>
KEYSIEVE_DEVICE void load_keys(const FinishSelectionParams& params, const SlotLine& line, std::int64_t row,
                               std::int32_t* shared) {
  const std::int32_t threads = simt::block_threads();
  const std::int32_t* selected = params.selected + row * params.selected_row_stride;
  std::uint32_t errors = 0;
  std::int32_t columns[kKeys];
  bool is_valid[kKeys];
  KEYSIEVE_UNROLL
  for (int i = 0; i < kKeys; ++i) {
    const std::int32_t j = i * threads + simt::thread_index();
    columns[i] = j < params.k ? selected[j] : -1;
  }
  const std::int64_t length = finish_length(params, line, row, errors);
  KEYSIEVE_UNROLL
  for (int i = 0; i < kKeys; ++i) is_valid[i] = !line.is_empty_row && column_is_inside(columns[i], length, errors);
  keep_good_scores(params.scores, row, columns, is_valid);
  KEYSIEVE_UNROLL
  for (int i = 0; i < kKeys; ++i) {
    const std::int32_t key = is_valid[i] ? key_of_column(params, row, columns[i], errors) : kNoBlock;
    shared[i * threads + simt::thread_index()] = key;
  }
  report_errors(params.error_word, errors);
}

template <int kKeys>
KEYSIEVE_DEVICE void load_and_order_keys(const FinishSelectionParams& params, const SlotLine& line, std::int64_t row,
                                         std::int32_t* shared) {
  load_keys<kKeys>(params, line, row, shared);
  simt::sync_block();
  order_keys<kKeys>(shared);
}

KEYSIEVE_DEVICE void write_finished_row(const FinishSelectionParams& params, const SlotLine& line, std::int64_t row,
                                        const std::int32_t* sorted, std::int32_t num_sorted) {
  std::uint32_t errors = 0;
  std::int32_t* out = params.out + row * params.out_row_stride;
  std::int32_t* raw = params.raw != nullptr ? params.raw + row * params.raw_row_stride : nullptr;
  KEYSIEVE_UNROLL_BY_4
  for (std::int32_t j = simt::thread_index(); j < params.out_k; j += simt::block_threads()) {
    const std::int32_t key = j < num_sorted ? sorted[j] : kNoBlock;
    const FinishedSlot finished = finished_slot(params, line, row, key, errors);
    out[j] = finished.slot;
    if (raw != nullptr) raw[j] = finished.raw;
  }
  report_errors(params.error_word, errors);
  if (params.counts == nullptr) return;
  if (num_sorted == 0) {
    if (simt::thread_index() == 0) params.counts[row] = 0;
    return;
  }
  // The one key in front of the first that is none.
  for (std::int32_t j = simt::thread_index(); j < num_sorted; j += simt::block_threads()) {
    const bool is_key = sorted[j] != kNoBlock;
    if (is_key && (j + 1 == num_sorted || sorted[j + 1] == kNoBlock)) params.counts[row] = j + 1;
    if (!is_key && j == 0) params.counts[row] = 0;
  }
}

KEYSIEVE_DEVICE void finish_selection(const FinishSelectionParams& params) {
  simt::wait_for_dependencies();
  const std::int64_t row = simt::block_index();
  auto* shared = reinterpret_cast<std::int32_t*>(simt::shared_memory());
  if (row >= params.rows) {
    write_finished_row(params, SlotLine{}, row, shared, 0);
    return;
  }
  const SortShape shape = sort_shape(params.k);
  const std::int32_t all = shape.threads * shape.keys_per_thread;
  const SlotLine line = line_of_row(params.table, row);
  switch (shape.keys_per_thread) {
    case 1:
      load_and_order_keys<1>(params, line, row, shared);
      break;
    case 2:
      load_and_order_keys<2>(params, line, row, shared);
      break;
    case 4:
      load_and_order_keys<4>(params, line, row, shared);
      break;
    default:
      load_and_order_keys<8>(params, line, row, shared);
      break;
  }
  write_finished_row(params, line, row, shared, all);
}

}  // namespace keysieve

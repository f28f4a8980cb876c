// finalize_selection, finish_paged and finish_flat (candidates.h): three calls, one kernel.
#pragma once

#include "candidates/slot_table.hpp"
#include "keysieve/candidates.h"
#include "operation/operation.hpp"

namespace keysieve {

struct FinishSelectionParams {
  std::int32_t* out;
  std::int32_t* raw;     // null: none
  std::int32_t* counts;  // null: none
  const std::int32_t* selected;
  const std::int32_t* lengths;  // null: `width` for every row
  std::uint32_t* error_word;
  std::int64_t out_row_stride;
  std::int64_t raw_row_stride;
  std::int64_t selected_row_stride;
  std::int64_t rows;      // of selected
  std::int64_t out_rows;  // and of counts
  std::int64_t width;     // below it a selected column may be
  ScoreRows scores;
  // What a column stands for. Blocks: position blocks[column / size] * size + column mod size. Else the column itself.
  const std::int32_t* blocks;
  std::int64_t blocks_row_stride;
  // The slot of what was sorted: from the candidates of the row, or from one array, or from the table.
  const std::int64_t* candidate_positions;
  const std::int32_t* candidate_slots;
  std::int64_t candidate_positions_row_stride;
  std::int64_t candidate_slots_row_stride;
  const std::int32_t* flat_slots;
  const std::int32_t* starts;
  SlotTable table;
  std::int32_t k;
  std::int32_t out_k;
  std::int32_t block_shift;
};

inline constexpr std::int64_t kMostFinished = 8192;

// How a row is sorted: a power of two of keys, some for each thread.
struct SortShape {
  std::int32_t threads;
  std::int32_t keys_per_thread;
};
KEYSIEVE_HOST_DEVICE constexpr SortShape sort_shape(std::int32_t k) {
  constexpr std::int32_t kSmallest = 32, kMostThreads = 1024;
  std::int32_t keys = kSmallest;
  while (keys < k) keys *= 2;
  // More keys a thread, rather than more threads: fewer steps through shared memory, more rows at once.
  const std::int32_t per_thread = keys <= 256 ? 1 : keys <= 1024 ? 2 : keys == 2048 ? 4 : 8;
  static_assert(kMostFinished / 8 <= kMostThreads);
  return {keys / per_thread, per_thread};
}

// Key of a column that is in range and whose score is good: what is sorted, or kNoBlock.
KEYSIEVE_HOST_DEVICE inline std::int32_t key_of_column(const FinishSelectionParams& params, std::int64_t row,
                                                       std::int32_t column, std::uint32_t& errors) {
  if (params.candidate_positions != nullptr) {
    return params.candidate_positions[row * params.candidate_positions_row_stride + column] >= 0 ? column : kNoBlock;
  }
  if (params.blocks == nullptr) return column;
  const std::int32_t id = params.blocks[row * params.blocks_row_stride + (column >> params.block_shift)];
  if (id < 0 || id > (0x7FFFFFFF >> params.block_shift)) {
    if (!is_padding(id)) errors |= KEYSIEVE_ERROR_BAD_ID;
    return kNoBlock;
  }
  return (id << params.block_shift) | (column & ((1 << params.block_shift) - 1));
}

struct FinishedSlot {
  std::int32_t slot;
  std::int32_t raw;
};

// What `key` of a sorted row stands for.
KEYSIEVE_HOST_DEVICE inline FinishedSlot finished_slot(const FinishSelectionParams& params, const SlotLine& line,
                                                       std::int64_t row, std::int32_t key, std::uint32_t& errors) {
  if (key == kNoBlock) return {-1, -1};
  if (params.candidate_positions != nullptr) {
    const std::int32_t slot = params.candidate_slots[row * params.candidate_slots_row_stride + key];
    const std::int64_t position = params.candidate_positions[row * params.candidate_positions_row_stride + key];
    return {slot, params.raw != nullptr ? narrow_slot<std::int32_t>(position, errors) : -1};
  }
  if (params.flat_slots != nullptr) {
    FinishedSlot finished{params.flat_slots[key], -1};
    if (params.raw != nullptr) {
      const std::int64_t position = static_cast<std::int64_t>(key) - params.starts[row];
      if (position < 0) errors |= KEYSIEVE_ERROR_BAD_ID;
      finished.raw = position < 0 ? -1 : narrow_slot<std::int32_t>(position, errors);
    }
    return finished;
  }
  return {slot_of(params.table, line, key, errors), key};
}

// Live columns of a row; padded rows of `out` have none.
KEYSIEVE_HOST_DEVICE inline std::int64_t finish_length(const FinishSelectionParams& params, const SlotLine& line,
                                                       std::int64_t row, std::uint32_t& errors) {
  if (params.lengths == nullptr) return params.width;
  const std::int64_t length = live_length(params.lengths[row], params.width, errors);
  return line.is_empty_row ? 0 : length;
}

KernelCalls finish_selection_calls(const FinishSelectionParams& params);

struct FinalizeSelection {
  using Args = keysieve_finalize_selection_args;
  using Params = FinishSelectionParams;
  static constexpr OperationId kId = OperationId::kFinishSelection;
  static constexpr InPlace kInPlace[] = {{"out", "selected"}, {"raw", "selected"}};

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("out", args.out, Access::kWrite);
    visit("raw", args.raw, Access::kWrite);
    visit("counts", args.counts, Access::kWrite);
    visit("selected", args.selected, Access::kRead);
    visit("scores", args.scores, Access::kRead);
    visit("lengths", args.lengths, Access::kRead);
    visit("token_table", args.token_table, Access::kRead);
    visit("row_to_table", args.row_to_table, Access::kRead);
    visit("candidate_positions", args.candidate_positions, Access::kRead);
    visit("candidate_slots", args.candidate_slots, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.out); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params) { return finish_selection_calls(params); }
};

struct FinishPaged {
  using Args = keysieve_finish_paged_args;
  using Params = FinishSelectionParams;
  static constexpr OperationId kId = OperationId::kFinishSelection;
  static constexpr InPlace kInPlace[] = {{"out", "selected"}, {"raw", "selected"}};

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("out", args.out, Access::kWrite);
    visit("raw", args.raw, Access::kWrite);
    visit("counts", args.counts, Access::kWrite);
    visit("selected", args.selected, Access::kRead);
    visit("scores", args.scores, Access::kRead);
    visit("lengths", args.lengths, Access::kRead);
    visit("blocks", args.blocks, Access::kRead);
    visit("page_table", args.page_table, Access::kRead);
    visit("row_to_table", args.row_to_table, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.out); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params) { return finish_selection_calls(params); }
};

struct FinishFlat {
  using Args = keysieve_finish_flat_args;
  using Params = FinishSelectionParams;
  static constexpr OperationId kId = OperationId::kFinishSelection;
  static constexpr InPlace kInPlace[] = {{"out", "selected"}, {"raw", "selected"}};

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("out", args.out, Access::kWrite);
    visit("raw", args.raw, Access::kWrite);
    visit("counts", args.counts, Access::kWrite);
    visit("selected", args.selected, Access::kRead);
    visit("slots", args.slots, Access::kRead);
    visit("starts", args.starts, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.out); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params) { return finish_selection_calls(params); }
};

}  // namespace keysieve

// Selections turned into slots on the CPU: in place, or sorted.
#include <algorithm>

#include "cpu/error_word.hpp"
#include "cpu/operations.hpp"
#include "cpu/parallel.hpp"

namespace keysieve::cpu {
namespace {

void filter_row(const FilterPagesParams& params, std::int64_t row) {
  std::uint32_t errors = 0;
  const SlotLine line = line_of_row(params.table, row);
  for (std::int64_t j = 0; j < params.k; ++j) {
    const std::int32_t i = params.selected[row * params.selected_row_stride + j];
    const bool is_valid =
        !line.is_empty_row && column_is_inside(i, params.width, errors) && score_is_good(params.scores, row, i);
    params.out[row * params.out_row_stride + j] = is_valid ? slot_of(params.table, line, i, errors) : -1;
    if (params.raw != nullptr) params.raw[row * params.raw_row_stride + j] = is_valid ? i : -1;
  }
  report(params.error_word, errors);
}

void finish_row(const FinishSelectionParams& params, std::int64_t row) {
  std::int32_t* out = params.out + row * params.out_row_stride;
  std::int32_t* raw = params.raw != nullptr ? params.raw + row * params.raw_row_stride : nullptr;
  std::uint32_t errors = 0;
  std::int32_t count = 0;
  SlotLine line{};
  if (row < params.rows) {
    line = line_of_row(params.table, row);
    const std::int64_t length = finish_length(params, line, row, errors);
    const std::int32_t* selected = params.selected + row * params.selected_row_stride;
    // Keys are sorted where the slots come to be; `out` may be `selected`, so each is read before it is overwritten.
    for (std::int32_t j = 0; j < params.k; ++j) {
      const std::int32_t column = selected[j];
      if (line.is_empty_row || !column_is_inside(column, length, errors)) continue;
      if (!score_is_good(params.scores, row, column)) continue;
      const std::int32_t key = key_of_column(params, row, column, errors);
      if (key != kNoBlock) out[count++] = key;
    }
    std::sort(out, out + count);
  }
  for (std::int32_t j = 0; j < params.out_k; ++j) {
    const FinishedSlot finished = finished_slot(params, line, row, j < count ? out[j] : kNoBlock, errors);
    out[j] = finished.slot;
    if (raw != nullptr) raw[j] = finished.raw;
  }
  if (params.counts != nullptr) params.counts[row] = count;
  report(params.error_word, errors);
}

}  // namespace

void filter_pages(const FilterPagesParams& params, std::int32_t threads) {
  parallel_for_each(threads, params.rows,
                    IndexedBody([&](std::int32_t, std::int64_t row) { filter_row(params, row); }));
}

void finish_selection(const FinishSelectionParams& params, std::int32_t threads) {
  parallel_for_each(threads, params.out_rows,
                    IndexedBody([&](std::int32_t, std::int64_t row) { finish_row(params, row); }));
}

}  // namespace keysieve::cpu

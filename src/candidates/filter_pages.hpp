// Slots of selected positions, each in its place (candidates.h).
#pragma once

#include "candidates/slot_table.hpp"
#include "keysieve/candidates.h"
#include "operation/operation.hpp"

namespace keysieve {

struct FilterPagesParams {
  std::int32_t* out;
  std::int32_t* raw;  // null: none
  const std::int32_t* selected;
  std::uint32_t* error_word;
  ScoreRows scores;
  std::int64_t width;
  std::int64_t out_row_stride;
  std::int64_t raw_row_stride;
  std::int64_t selected_row_stride;
  std::int64_t rows;
  std::int64_t k;
  SlotTable table;
};

struct FilterPages {
  using Args = keysieve_filter_pages_args;
  using Params = FilterPagesParams;
  static constexpr OperationId kId = OperationId::kFilterPages;
  static constexpr std::int32_t kThreads = 128;
  static constexpr std::int32_t kSlotsAtOnce = 4;  // of a thread
  static constexpr std::int64_t kSlotsOfChunk = std::int64_t{kThreads} * kSlotsAtOnce;
  static constexpr InPlace kInPlace[] = {{"out", "selected"}, {"raw", "selected"}};

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("out", args.out, Access::kWrite);
    visit("raw", args.raw, Access::kWrite);
    visit("selected", args.selected, Access::kRead);
    visit("scores", args.scores, Access::kRead);
    visit("page_table", args.page_table, Access::kRead);
    visit("row_to_table", args.row_to_table, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.out); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params);
};

}  // namespace keysieve

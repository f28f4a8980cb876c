// The block table of each row, and where its blocks lie in the cache (candidates.h).
#pragma once

#include "candidates/slot_table.hpp"
#include "keysieve/candidates.h"
#include "operation/operation.hpp"

namespace keysieve {

struct SortBlocksParams {
  std::int32_t* blocks;
  std::int32_t* phys;    // null: none
  std::int32_t* valid;   // null: none
  std::int32_t* counts;  // null: none
  const std::int32_t* selected;
  const std::int32_t* lengths;
  std::uint32_t* error_word;
  std::int64_t blocks_row_stride;
  std::int64_t phys_row_stride;
  std::int64_t selected_row_stride;
  std::int64_t rows;
  SlotTable table;  // of blocks: a page has page_size / block_size
  std::int32_t kept;
  std::int32_t block_shift;
  std::int32_t bitmap_words;  // in shared memory: a multiple of 4; ids are sorted so many at a time
};

struct SortBlocks {
  using Args = keysieve_sort_blocks_args;
  using Params = SortBlocksParams;
  static constexpr OperationId kId = OperationId::kSortBlocks;
  static constexpr std::int64_t kMostKept = 8192;
  static constexpr std::int64_t kMostPageSize = 65536;
  static constexpr std::int32_t kIdsPerThread = 8;  // kept in registers
  static constexpr std::int32_t kMostThreads = 1024;
  static_assert(kMostKept <= std::int64_t{kIdsPerThread} * kMostThreads);
  static constexpr InPlace kInPlace[] = {{"blocks", "selected"}};

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("blocks", args.blocks, Access::kWrite);
    visit("phys", args.phys, Access::kWrite);
    visit("valid", args.valid, Access::kWrite);
    visit("counts", args.counts, Access::kWrite);
    visit("selected", args.selected, Access::kRead);
    visit("lengths", args.lengths, Access::kRead);
    visit("page_table", args.page_table, Access::kRead);
    visit("row_to_table", args.row_to_table, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.blocks); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params);
};

}  // namespace keysieve

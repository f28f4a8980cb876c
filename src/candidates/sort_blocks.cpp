#include "candidates/sort_blocks.hpp"

#include <algorithm>
#include <bit>

#include "candidates/row_checks.hpp"

namespace keysieve {
namespace {

constexpr std::int32_t kMostSharedBytes = 48 * 1024;
constexpr std::int32_t kPartialsBytes = 128;

// Words of a bitmap over all blocks that the page table has room for, as far as shared memory reaches.
std::int32_t bitmap_words(const keysieve_tensor& page_table, std::int64_t blocks_per_page, std::int64_t kept) {
  const std::int64_t most = (kMostSharedBytes - kPartialsBytes) / 4 - kept;
  std::int64_t wanted = 8192;  // 262,144 blocks
  if (is_present(page_table)) {
    const std::int64_t pages = std::min<std::int64_t>(page_table.shape[1], INT32_MAX);
    wanted = std::max<std::int64_t>(pages * blocks_per_page / 32 + 1, 64);
  }
  return static_cast<std::int32_t>(std::min((wanted + 3) / 4 * 4, most / 4 * 4));
}

}  // namespace

void SortBlocks::check(const Args& args, Faults& faults) {
  const bool good_size = check_block_size(faults, args.block_size);
  if (!check_int32_rows(faults, "blocks", args.blocks, {"rows", kAnySize}, {"kept", kAnySize})) return;
  const std::int64_t rows = args.blocks.shape[0], kept = args.blocks.shape[1];
  check_rows(faults, rows);
  check_range(faults, "kept", 1, kMostKept, kept);
  check_int32_rows(faults, "selected", args.selected, {"rows", rows}, {"kept", kept});
  check_lengths(faults, args.lengths, rows);
  check_row_numbers(faults, "valid", args.valid, rows);
  check_row_numbers(faults, "counts", args.counts, rows);
  if (is_present(args.page_table) != is_present(args.phys)) {
    faults.invalid(is_present(args.phys) ? "page_table: expected a tensor where phys is given, got none"
                                         : "phys: expected a tensor where page_table is given, got none");
    return;
  }
  if (!is_present(args.page_table)) {
    check_row_numbers(faults, "row_to_table", args.row_to_table, rows);
    return;
  }
  check_int32_rows(faults, "phys", args.phys, {"rows", rows}, {"kept", kept});
  check_table(faults, "page_table", args.page_table, args.row_to_table, args.lengths, rows);
  check_num_pages(faults, args.num_pages);
  if (good_size &&
      (!is_power_of_two(args.page_size) || args.page_size < args.block_size || args.page_size > kMostPageSize)) {
    faults.invalid("page_size: expected a power of two in " + std::to_string(args.block_size) + ".." +
                   std::to_string(kMostPageSize) + ", got " + std::to_string(args.page_size));
  }
}

SortBlocksParams SortBlocks::params(const Args& args) {
  Params params{};
  params.blocks = data_of<std::int32_t>(args.blocks);
  params.phys = data_of<std::int32_t>(args.phys);
  params.valid = data_of<std::int32_t>(args.valid);
  params.counts = data_of<std::int32_t>(args.counts);
  params.selected = data_of<const std::int32_t>(args.selected);
  params.lengths = data_of<const std::int32_t>(args.lengths);
  params.error_word = args.call.error_word;
  params.blocks_row_stride = args.blocks.strides[0];
  params.phys_row_stride = args.phys.strides[0];
  params.selected_row_stride = args.selected.strides[0];
  params.rows = args.blocks.shape[0];
  params.kept = static_cast<std::int32_t>(args.blocks.shape[1]);
  params.block_shift = std::countr_zero(static_cast<std::uint32_t>(args.block_size));
  const std::int64_t blocks_per_page = is_present(args.page_table) ? args.page_size / args.block_size : 1;
  params.table = slot_table(args.page_table, args.row_to_table, params.rows, blocks_per_page, args.num_pages, 1);
  // Without a page table a row can still be empty.
  params.table.row_to_line = data_of<const std::int32_t>(args.row_to_table);
  params.bitmap_words = bitmap_words(args.page_table, blocks_per_page, params.kept);
  return params;
}

KernelCalls SortBlocks::calls(const Params& params) {
  KernelCalls calls;
  KernelCall& call = calls.add();
  call.kernel = OperationKernel::kSortBlocks;
  // More threads make a row faster and leave room for fewer rows at once.
  constexpr std::int64_t kFewRows = 384;
  const std::int32_t ids_per_thread =
      params.rows <= kFewRows ? SortBlocks::kIdsPerThread / 2 : SortBlocks::kIdsPerThread;
  const std::int32_t threads = ((params.kept + ids_per_thread - 1) / ids_per_thread + 31) / 32 * 32;
  call.threads = std::clamp(threads, 128, kMostThreads);
  call.blocks = params.rows;
  call.shared_bytes = kPartialsBytes + 4 * (params.bitmap_words + params.kept);
  call.set_params(params);
  return calls;
}

}  // namespace keysieve

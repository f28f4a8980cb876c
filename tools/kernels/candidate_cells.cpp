// The steps around a selection among published blocks: 2048 blocks of 8 positions a row, 512 of their columns selected.
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <vector>

#include "kernels/cell.hpp"
#include "keysieve/candidates.h"

namespace keysieve::kernel_bench {
namespace {

constexpr std::int64_t kBlock = 8, kKept = 2048, kColumns = kKept * kBlock, kK = 512, kPageSize = 64;

enum class IdOrder { kAscending, kShuffled };

// [rows, count] ids, those of a row different and one in each `of / count` adjacent ones, from `row_step` times the
// row on: far enough apart that no two share a page or a block, so the floors count an entry of a table for each.
keysieve_tensor spread_ids(Arena& arena, std::int64_t rows, std::int64_t count, std::int64_t of, IdOrder order,
                           std::int64_t row_step = 0) {
  std::mt19937 random(static_cast<std::uint32_t>(rows * count + of));
  const std::int64_t gap = of / count;
  std::vector<std::int32_t> ids(static_cast<std::size_t>(rows * count));
  auto at = ids.begin();
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto begin = at;
    for (std::int64_t i = 0; i < count; ++i) {
      *at++ = static_cast<std::int32_t>(row * row_step + i * gap + static_cast<std::int64_t>(random()) % gap);
    }
    if (order == IdOrder::kShuffled) std::shuffle(begin, at, random);
  }
  return arena.copy_of(ids, {rows, count});
}

keysieve_tensor same_lengths(Arena& arena, std::int64_t rows, std::int64_t length) {
  return arena.int32({rows}, static_cast<std::int32_t>(length), 1);
}

KernelCell lengths_cell(std::int64_t rows) {
  KernelCell made;
  made.kernel = "candidate_lengths";
  made.size = fmt::format("{} rows", rows);
  made.read_bytes = rows * 4;
  made.write_bytes = rows * 8;
  made.make = [=](Arena& arena) {
    keysieve_candidate_lengths_args args;
    keysieve_candidate_lengths_args_init(&args);
    args.call = call_on_device();
    args.num_blocks = arena.tensor(KEYSIEVE_ELEMENT_INT32, {rows});
    args.valid = arena.tensor(KEYSIEVE_ELEMENT_INT32, {rows});
    args.lengths = arena.int32({rows}, 0, 262144);
    args.kept_blocks = kKept;
    return work_of(args, keysieve_candidate_lengths, "candidate_lengths");
  };
  return made;
}

KernelCell block_max_cell(std::int64_t rows, std::int64_t width, ScoreType type) {
  KernelCell made;
  made.kernel = "block_max";
  made.size = fmt::format("{} x {}, {}", rows, width, type == ScoreType::kFloat32 ? "float32" : "bfloat16");
  // All but the newest block.
  made.read_bytes = rows * ((width - kBlock) * size_bytes(type) + 4);
  made.write_bytes = rows * width / kBlock * 4;
  made.make = [=](Arena& arena) {
    keysieve_block_max_args args;
    keysieve_block_max_args_init(&args);
    args.call = call_on_device();
    args.out = arena.tensor(KEYSIEVE_ELEMENT_FLOAT32, {rows, width / kBlock});
    args.lengths = same_lengths(arena, rows, width);
    args.scores = arena.scores(type, rows, width, args.lengths);
    args.kept_blocks = kKept;
    return work_of(args, keysieve_block_max, "block_max");
  };
  return made;
}

KernelCell sort_blocks_cell(std::int64_t rows) {
  constexpr std::int64_t kContext = 1048576;
  KernelCell made;
  made.kernel = "sort_blocks";
  made.size = fmt::format("{} rows x {} of {} ids, pages of {}", rows, kKept, kContext / kBlock, kPageSize);
  made.read_bytes = rows * (kKept * (4 + 4) + 4);
  made.write_bytes = rows * (kKept * (4 + 4) + 8);
  made.make = [=](Arena& arena) {
    keysieve_sort_blocks_args args;
    keysieve_sort_blocks_args_init(&args);
    args.call = call_on_device();
    args.blocks = arena.tensor(KEYSIEVE_ELEMENT_INT32, {rows, kKept});
    args.phys = arena.tensor(KEYSIEVE_ELEMENT_INT32, {rows, kKept});
    args.valid = arena.tensor(KEYSIEVE_ELEMENT_INT32, {rows});
    args.counts = arena.tensor(KEYSIEVE_ELEMENT_INT32, {rows});
    args.selected = spread_ids(arena, rows, kKept, kContext / kBlock, IdOrder::kShuffled);
    args.lengths = same_lengths(arena, rows, kContext);
    args.page_table = arena.sequence({rows, kContext / kPageSize});
    args.page_size = kPageSize;
    return work_of(args, keysieve_sort_blocks, "sort_blocks");
  };
  return made;
}

constexpr std::int64_t kContext = 262144;

KernelCell candidate_slots_cell(std::int64_t rows) {
  KernelCell made;
  made.kernel = "candidate_slots";
  made.size = fmt::format("{} rows x {} blocks of {} tokens", rows, kKept, kContext);
  made.read_bytes = rows * (kKept * 4 + 4 + kColumns * 4);
  made.write_bytes = rows * (kColumns * (8 + 4) + 4);
  made.make = [=](Arena& arena) {
    keysieve_candidate_slots_args args;
    keysieve_candidate_slots_args_init(&args);
    args.call = call_on_device();
    args.positions = arena.tensor(KEYSIEVE_ELEMENT_INT64, {rows, kColumns});
    args.slots = arena.tensor(KEYSIEVE_ELEMENT_INT32, {rows, kColumns});
    args.counts = arena.tensor(KEYSIEVE_ELEMENT_INT32, {rows});
    args.blocks = spread_ids(arena, rows, kKept, kContext / kBlock, IdOrder::kAscending);
    args.lengths = same_lengths(arena, rows, kContext);
    args.token_table = arena.sequence({rows, kContext});
    return work_of(args, keysieve_candidate_slots, "candidate_slots");
  };
  return made;
}

KernelCell filter_pages_cell(std::int64_t rows) {
  KernelCell made;
  made.kernel = "filter_pages";
  made.size = fmt::format("{} rows x k = {} of {} columns", rows, kK, kColumns);
  // Of each entry: itself, its score, its page.
  made.read_bytes = rows * kK * (4 + 2 + 4);
  made.write_bytes = rows * kK * (4 + 4);
  made.make = [=](Arena& arena) {
    keysieve_filter_pages_args args;
    keysieve_filter_pages_args_init(&args);
    args.call = call_on_device();
    args.out = arena.tensor(KEYSIEVE_ELEMENT_INT32, {rows, kK});
    args.raw = arena.tensor(KEYSIEVE_ELEMENT_INT32, {rows, kK});
    args.selected = spread_ids(arena, rows, kK, kColumns, IdOrder::kAscending);
    args.scores = arena.scores(ScoreType::kBFloat16, rows, kColumns, same_lengths(arena, rows, kColumns));
    args.page_table = arena.sequence({rows, kKept});
    args.page_size = kBlock;
    return work_of(args, keysieve_filter_pages, "filter_pages");
  };
  return made;
}

// What the three that finish a selection have in common.
template <typename Args>
void make_finished(Arena& arena, Args& args, std::int64_t rows) {
  args.call = call_on_device();
  args.out = arena.tensor(KEYSIEVE_ELEMENT_INT32, {rows, kK});
  args.raw = arena.tensor(KEYSIEVE_ELEMENT_INT32, {rows, kK});
  args.counts = arena.tensor(KEYSIEVE_ELEMENT_INT32, {rows});
}

KernelCell finish_cell(const char* kernel, const std::string& what, std::int64_t rows, std::int64_t entry_bytes) {
  KernelCell made;
  made.kernel = kernel;
  made.size = fmt::format("{} rows x k = {}, {}", rows, kK, what);
  made.read_bytes = rows * (kK * entry_bytes + 4);
  made.write_bytes = rows * (kK * (4 + 4) + 4);
  return made;
}

// Of each entry: itself, its score, its candidate's position and slot.
KernelCell finalize_cell(std::int64_t rows) {
  KernelCell made = finish_cell("finalize_selection", "candidates, shuffled", rows, 4 + 2 + 8 + 4);
  made.make = [=](Arena& arena) {
    keysieve_finalize_selection_args args;
    keysieve_finalize_selection_args_init(&args);
    make_finished(arena, args, rows);
    args.selected = spread_ids(arena, rows, kK, kColumns, IdOrder::kShuffled);
    args.lengths = same_lengths(arena, rows, kColumns);
    args.scores = arena.scores(ScoreType::kBFloat16, rows, kColumns, args.lengths);
    args.candidate_positions = arena.int64({rows, kColumns}, 0, kContext);
    args.candidate_slots = arena.sequence({rows, kColumns});
    return work_of(args, keysieve_finalize_selection, "finalize_selection");
  };
  return made;
}

// Of each entry: itself, its score, its block, its page.
KernelCell finish_paged_cell(std::int64_t rows, IdOrder order) {
  KernelCell made = finish_cell("finish_paged", order == IdOrder::kShuffled ? "blocks, shuffled" : "blocks, ascending",
                                rows, 4 + 2 + 4 + 4);
  made.make = [=](Arena& arena) {
    keysieve_finish_paged_args args;
    keysieve_finish_paged_args_init(&args);
    make_finished(arena, args, rows);
    args.selected = spread_ids(arena, rows, kK, kColumns, order);
    args.lengths = same_lengths(arena, rows, kColumns);
    args.scores = arena.scores(ScoreType::kBFloat16, rows, kColumns, args.lengths);
    args.blocks = spread_ids(arena, rows, kKept, kContext / kBlock, IdOrder::kAscending);
    args.page_table = arena.sequence({rows, kContext / kPageSize});
    args.page_size = kPageSize;
    return work_of(args, keysieve_finish_paged, "finish_paged");
  };
  return made;
}

// Packed keys, a window of them a row. Of each entry: itself and its slot.
KernelCell finish_flat_cell(std::int64_t rows) {
  constexpr std::int64_t kKeysOfRow = 8192;
  KernelCell made = finish_cell("finish_flat", "shuffled", rows, 4 + 4);
  made.make = [=](Arena& arena) {
    keysieve_finish_flat_args args;
    keysieve_finish_flat_args_init(&args);
    make_finished(arena, args, rows);
    args.selected = spread_ids(arena, rows, kK, kKeysOfRow, IdOrder::kShuffled, kKeysOfRow);
    args.slots = arena.sequence({rows * kKeysOfRow});
    std::vector<std::int32_t> starts;
    for (std::int64_t row = 0; row < rows; ++row) starts.push_back(static_cast<std::int32_t>(row * kKeysOfRow));
    args.starts = arena.copy_of(starts, {rows});
    return work_of(args, keysieve_finish_flat, "finish_flat");
  };
  return made;
}

}  // namespace

std::vector<KernelCell> candidate_cells() {
  std::vector<KernelCell> cells;
  for (const std::int64_t rows : {8, 8192}) cells.push_back(lengths_cell(rows));
  for (const ScoreType type : {ScoreType::kFloat32, ScoreType::kBFloat16}) {
    for (const std::int64_t rows : {64, 1024}) {
      for (const std::int64_t width : {131072, 1048576}) cells.push_back(block_max_cell(rows, width, type));
    }
  }
  for (const std::int64_t rows : {8, 64, 256, 1024}) cells.push_back(sort_blocks_cell(rows));
  for (const std::int64_t rows : {8, 256}) cells.push_back(candidate_slots_cell(rows));
  for (const std::int64_t rows : {8, 1024}) {
    cells.push_back(filter_pages_cell(rows));
    cells.push_back(finalize_cell(rows));
    cells.push_back(finish_paged_cell(rows, IdOrder::kShuffled));
    cells.push_back(finish_paged_cell(rows, IdOrder::kAscending));
    cells.push_back(finish_flat_cell(rows));
  }
  return cells;
}

}  // namespace keysieve::kernel_bench

#include <fmt/format.h>

#include "kernels/cell.hpp"
#include "keysieve/publish.h"

namespace keysieve::kernel_bench {
namespace {

constexpr std::int64_t kPageSize = 64;

KernelCell cell(std::int64_t rows, std::int64_t width, ScoreType type) {
  constexpr std::int64_t kK = 512, kBlocks = 2048;
  const std::int64_t score_bytes = size_bytes(type);
  KernelCell made;
  made.kernel = "publish";
  made.size = fmt::format("{} x {}, {}, k = {}, {} blocks", rows, width,
                          type == ScoreType::kFloat32 ? "float32" : "bfloat16", kK, kBlocks);
  made.read_bytes = rows * width * score_bytes;
  made.write_bytes = rows * (kK + 2 * kBlocks) * 4;
  made.baseline = "the selection alone";
  made.make = [=](Arena& arena) {
    keysieve_publish_problem problem;
    keysieve_publish_problem_init(&problem);
    problem.blocks = kBlocks;
    problem.physical = 1;
    problem.select.device_type = KEYSIEVE_DEVICE_CUDA;
    problem.select.rows = rows, problem.select.width = width, problem.select.k = kK;
    problem.select.score_type = static_cast<std::int32_t>(type);
    keysieve_publish_plan plan;
    keysieve_publish_plan_init(&plan);
    check_call(keysieve_publish_make_plan(&problem, &plan), "publish");
    keysieve_select_plan alone = plan.select;
    check_call(keysieve_select_make_plan(&problem.select, &alone), "select");

    // 95 to 100 % of the width.
    const keysieve_tensor lengths =
        arena.int32({rows}, static_cast<std::int32_t>(width - width / 20), static_cast<std::uint32_t>(width / 20));
    const keysieve_tensor scores = arena.scores(type, rows, width, lengths);
    const std::int64_t pages = width / kPageSize;
    const keysieve_tensor table = arena.sequence({rows, pages});
    keysieve_publish_args args;
    keysieve_publish_args_init(&args);
    args.select.scores = scores.data;
    args.select.lengths = static_cast<const std::int32_t*>(lengths.data);
    args.select.indices = arena.allocate(rows * kK * 4);
    keysieve_select_args alone_args = args.select;
    args.select.page_table = static_cast<const std::int32_t*>(table.data);
    args.select.page_table_rows = rows;
    args.select.page_table_columns = pages;
    args.select.page_size = kPageSize;
    const auto ints = [&arena](std::int64_t count) { return static_cast<std::int32_t*>(arena.allocate(count * 4)); };
    args.blocks = ints(rows * kBlocks);
    args.physical_blocks = ints(rows * kBlocks);
    args.block_counts = ints(rows);
    args.valid_lengths = ints(rows);
    args.workspace = arena.allocate(plan.workspace_bytes);
    args.workspace_bytes = plan.workspace_bytes;
    alone_args.workspace = arena.allocate(alone.workspace_bytes);
    alone_args.workspace_bytes = alone.workspace_bytes;
    return Work{
        [plan, args](cudaStream_t stream) { check_call(keysieve_publish_run(&plan, &args, stream), "publish"); },
        [alone, alone_args](cudaStream_t stream) {
          check_call(keysieve_select_run(&alone, &alone_args, stream), "select");
        }};
  };
  return made;
}

// The second half alone, from keys that are given.
KernelCell block_topk_cell(std::int64_t rows, std::int64_t keys) {
  constexpr std::int64_t kBlocks = 2048;
  KernelCell made;
  made.kernel = "block_topk";
  made.size = fmt::format("{} x {} keys, {} blocks", rows, keys, kBlocks);
  // All but the newest block's.
  made.read_bytes = rows * ((keys - 1) * 4 + 4);
  made.write_bytes = rows * (2 * kBlocks * 4 + 8);
  made.make = [=](Arena& arena) {
    keysieve_block_topk_problem problem;
    keysieve_block_topk_problem_init(&problem);
    problem.blocks = kBlocks;
    problem.physical = 1;
    problem.device_type = KEYSIEVE_DEVICE_CUDA;
    problem.rows = rows, problem.key_columns = keys;
    keysieve_block_topk_plan plan;
    keysieve_block_topk_plan_init(&plan);
    check_call(keysieve_block_topk_make_plan(&problem, &plan), "block_topk");
    const std::int64_t width = keys * KEYSIEVE_PUBLISH_BLOCK, pages = width / kPageSize;
    const auto ints = [&arena](std::int64_t count) { return static_cast<std::int32_t*>(arena.allocate(count * 4)); };
    keysieve_block_topk_args args;
    keysieve_block_topk_args_init(&args);
    args.keys = static_cast<const float*>(arena.float32({rows, keys}).data);
    args.lengths = static_cast<const std::int32_t*>(arena.int32({rows}, static_cast<std::int32_t>(width), 1).data);
    args.page_table = static_cast<const std::int32_t*>(arena.sequence({rows, pages}).data);
    args.page_table_rows = rows;
    args.page_table_columns = pages;
    args.page_size = kPageSize;
    args.blocks = ints(rows * kBlocks);
    args.physical_blocks = ints(rows * kBlocks);
    args.block_counts = ints(rows);
    args.valid_lengths = ints(rows);
    args.workspace = arena.allocate(plan.workspace_bytes);
    args.workspace_bytes = plan.workspace_bytes;
    return Work{
        [plan, args](cudaStream_t stream) { check_call(keysieve_block_topk_run(&plan, &args, stream), "block_topk"); },
        {}};
  };
  return made;
}

}  // namespace

std::vector<KernelCell> publish_cells() {
  std::vector<KernelCell> cells;
  for (const std::int64_t rows : {8, 64, 1024}) {
    for (const std::int64_t keys : {16384, 131072}) cells.push_back(block_topk_cell(rows, keys));
  }
  for (const ScoreType type : {ScoreType::kFloat32, ScoreType::kBFloat16}) {
    for (const std::int64_t rows : {1, 8, 64}) {
      for (const std::int64_t width : {131072, 1048576}) cells.push_back(cell(rows, width, type));
    }
    for (const std::int64_t width : {131072, 262144, 1048576}) cells.push_back(cell(256, width, type));
    for (const std::int64_t width : {131072, 262144, 1048576}) cells.push_back(cell(1024, width, type));
  }
  return cells;
}

}  // namespace keysieve::kernel_bench

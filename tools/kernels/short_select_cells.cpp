// Selection as a consumer of published blocks makes it: rows of 2048 blocks of 8, and a table with a page a block.
#include <fmt/format.h>

#include "kernels/cell.hpp"

namespace keysieve::kernel_bench {
namespace {

constexpr std::int64_t kWidth = 16384, kPageSize = 8, kK = 512;

// The whole row is live.
bench::Enqueue select(Arena& arena, std::int64_t rows, ScoreType type) {
  keysieve_select_problem problem;
  keysieve_select_problem_init(&problem);
  problem.device_type = KEYSIEVE_DEVICE_CUDA;
  problem.rows = rows, problem.width = kWidth, problem.k = kK;
  problem.score_type = static_cast<std::int32_t>(type);
  problem.mode = KEYSIEVE_MODE_PAGED;
  problem.order = KEYSIEVE_ORDER_INDEX;
  keysieve_select_plan plan{};
  plan.struct_size = sizeof plan;
  check_call(keysieve_select_make_plan(&problem, &plan), "select");

  const keysieve_tensor lengths = arena.int32({rows}, kWidth, 1);
  keysieve_select_args args;
  keysieve_select_args_init(&args);
  args.scores = arena.scores(type, rows, kWidth, lengths).data;
  args.lengths = static_cast<const std::int32_t*>(lengths.data);
  args.page_table_rows = rows;
  args.page_table_columns = kWidth / kPageSize;
  args.page_table = static_cast<const std::int32_t*>(arena.sequence({rows, kWidth / kPageSize}).data);
  args.page_size = kPageSize;
  args.indices = arena.allocate(rows * kK * 4);
  args.workspace = arena.allocate(plan.workspace_bytes);
  args.workspace_bytes = plan.workspace_bytes;
  return [plan, args](cudaStream_t stream) { check_call(keysieve_select_run(&plan, &args, stream), "select"); };
}

KernelCell cell(std::int64_t rows) {
  KernelCell made;
  made.kernel = "short_select";
  made.size = fmt::format("{} x {}, bfloat16, k = {}, pages of {}", rows, kWidth, kK, kPageSize);
  made.read_bytes = rows * kWidth * 2;
  made.write_bytes = rows * kK * 4;
  made.baseline = "the same rows in float32";
  made.make = [=](Arena& arena) {
    return Work{select(arena, rows, ScoreType::kBFloat16), select(arena, rows, ScoreType::kFloat32)};
  };
  return made;
}

}  // namespace

std::vector<KernelCell> short_select_cells() {
  std::vector<KernelCell> cells;
  for (const std::int64_t rows : {64, 256, 1024}) cells.push_back(cell(rows));
  return cells;
}

}  // namespace keysieve::kernel_bench

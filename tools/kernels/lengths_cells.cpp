#include <fmt/format.h>

#include "kernels/cell.hpp"

namespace keysieve::kernel_bench {
namespace {

// Every row is as long as the context, so that all of its table is read.
constexpr std::int64_t kContext = 262144, kPageSize = 64, kPages = kContext / kPageSize;

KernelCell guard_cell(std::int64_t rows) {
  KernelCell made;
  made.kernel = "context_guard";
  made.size = fmt::format("{} rows", rows);
  made.read_bytes = made.write_bytes = rows * 4;
  made.make = [=](Arena& arena) {
    keysieve_context_guard_args args;
    keysieve_context_guard_args_init(&args);
    args.call = call_on_device();
    args.lengths = arena.int32({rows}, kContext, 1);
    args.out = arena.tensor(KEYSIEVE_ELEMENT_INT32, {rows});
    args.max_context = kContext;
    return work_of(args, keysieve_context_guard, "context_guard");
  };
  return made;
}

KernelCell stamp_cell(std::int64_t rows) {
  KernelCell made;
  made.kernel = "selection_stamp";
  made.size = fmt::format("{} rows x {}, pages of {}", rows, kContext, kPageSize);
  made.read_bytes = rows * (4 + kPages * 4);
  made.write_bytes = rows * 8;
  made.make = [=](Arena& arena) {
    keysieve_selection_stamp_args args;
    keysieve_selection_stamp_args_init(&args);
    args.call = call_on_device();
    args.lengths = arena.int32({rows}, kContext, 1);
    args.page_table = arena.sequence({rows, kPages});
    args.page_size = kPageSize;
    args.stamps = arena.tensor(KEYSIEVE_ELEMENT_INT64, {rows});
    return work_of(args, keysieve_selection_stamp, "selection_stamp");
  };
  return made;
}

}  // namespace

std::vector<KernelCell> lengths_cells() {
  std::vector<KernelCell> cells;
  for (const std::int64_t rows : {1024, 8192}) cells.push_back(guard_cell(rows));
  for (const std::int64_t rows : {1024, 8192}) cells.push_back(stamp_cell(rows));
  return cells;
}

}  // namespace keysieve::kernel_bench

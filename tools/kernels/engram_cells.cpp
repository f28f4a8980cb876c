#include <fmt/format.h>

#include "kernels/cell.hpp"

namespace keysieve::kernel_bench {
namespace {

KernelCell cell(std::int64_t count, std::int64_t dim) {
  constexpr std::int64_t kRows = 1 << 20, kBlock = 32;
  KernelCell made;
  made.kernel = "engram_gather";
  made.size = fmt::format("{} ids of {} columns, half of them owned", count, dim);
  // Of ids from twice the shard, half are read.
  made.read_bytes = count * 4 + count / 2 * (dim + dim / kBlock);
  made.write_bytes = count * dim * 2;
  made.make = [=](Arena& arena) {
    keysieve_engram_gather_args args;
    keysieve_engram_gather_args_init(&args);
    args.call = call_on_device();
    args.out = arena.tensor(KEYSIEVE_ELEMENT_BFLOAT16, {count, dim});
    args.table = arena.bytes({kRows, dim});
    args.scales = arena.bytes({kRows, dim / kBlock}, 110, 30);
    args.ids = arena.int32({count}, 0, 2 * kRows);
    return work_of(args, keysieve_engram_gather, "engram_gather");
  };
  return made;
}

}  // namespace

std::vector<KernelCell> engram_cells() {
  std::vector<KernelCell> cells;
  for (const std::int64_t count : {1, 8, 512, 8192, 65536}) cells.push_back(cell(count, 1024));
  cells.push_back(cell(65536, 256));
  return cells;
}

}  // namespace keysieve::kernel_bench

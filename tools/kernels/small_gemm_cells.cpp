#include <fmt/format.h>

#include "kernels/cell.hpp"

namespace keysieve::kernel_bench {
namespace {

KernelCell cell(std::int64_t n, std::int64_t k, std::int64_t m) {
  KernelCell made;
  made.kernel = "small_gemm";
  made.size = fmt::format("(N, K) = ({}, {}), m = {}", n, k, m);
  made.read_bytes = 2 * (n * k + m * k);
  made.write_bytes = 2 * m * n;
  made.make = [=](Arena& arena) {
    keysieve_small_gemm_args args;
    keysieve_small_gemm_args_init(&args);
    args.call = call_on_device();
    args.out = arena.tensor(KEYSIEVE_ELEMENT_BFLOAT16, {m, n});
    args.x = arena.bfloat16({m, k});
    args.w = arena.bfloat16({n, k});
    return work_of(args, keysieve_small_gemm, "small_gemm");
  };
  return made;
}

}  // namespace

std::vector<KernelCell> small_gemm_cells() {
  std::vector<KernelCell> cells;
  for (const std::int64_t m : {1, 8, 32}) cells.push_back(cell(128, 512, m));
  for (const std::int64_t m : {1, 8, 32}) cells.push_back(cell(32, 5120, m));
  return cells;
}

}  // namespace keysieve::kernel_bench

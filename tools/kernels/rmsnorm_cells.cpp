#include <fmt/format.h>

#include "kernels/cell.hpp"

namespace keysieve::kernel_bench {
namespace {

constexpr float kEps = 1e-6f;

std::int64_t scale_bytes(std::int64_t m, std::int64_t k) {
  std::int64_t bytes = 0;
  check_call(keysieve_mxfp8_scale_bytes(m, k, &bytes), "mxfp8_scale_bytes");
  return bytes;
}

template <typename Args>
void make_outputs(Arena& arena, Args& args, std::int64_t m, std::int64_t k, bool quantised) {
  args.call = call_on_device();
  args.eps = kEps;
  args.y = arena.tensor(KEYSIEVE_ELEMENT_BFLOAT16, {m, k});
  if (quantised) {
    args.q = arena.tensor(KEYSIEVE_ELEMENT_BYTE, {m, k});
    args.scales = arena.tensor(KEYSIEVE_ELEMENT_BYTE, {scale_bytes(m, k)});
  }
  args.weight = arena.bfloat16({k});
}

KernelCell rmsnorm_cell(std::int64_t m, std::int64_t k) {
  KernelCell made;
  made.kernel = "rmsnorm_mxfp8";
  made.size = fmt::format("m = {}, K = {}, all outputs", m, k);
  made.read_bytes = 2 * m * k + 2 * k;
  made.write_bytes = 3 * m * k + scale_bytes(m, k);
  made.make = [=](Arena& arena) {
    keysieve_rmsnorm_mxfp8_args args;
    keysieve_rmsnorm_mxfp8_args_init(&args);
    make_outputs(arena, args, m, k, true);
    args.x = arena.bfloat16({m, k});
    return work_of(args, keysieve_rmsnorm_mxfp8, "rmsnorm_mxfp8");
  };
  return made;
}

KernelCell hc_rmsnorm_cell(std::int64_t m, std::int64_t k, bool quantised) {
  constexpr std::int64_t kStreams = 4;
  KernelCell made;
  made.kernel = "hc_rmsnorm_mxfp8";
  made.size = fmt::format("m = {}, K = {}, {}", m, k, quantised ? "all outputs" : "y alone");
  made.read_bytes = kStreams * 2 * m * k + 2 * k + m * kStreams * 4;
  made.write_bytes = quantised ? 3 * m * k + scale_bytes(m, k) : 2 * m * k;
  made.make = [=](Arena& arena) {
    keysieve_hc_rmsnorm_mxfp8_args args;
    keysieve_hc_rmsnorm_mxfp8_args_init(&args);
    make_outputs(arena, args, m, k, quantised);
    args.x = arena.bfloat16({m, kStreams * k});
    args.pre = arena.float32({m, kStreams});
    return work_of(args, keysieve_hc_rmsnorm_mxfp8, "hc_rmsnorm_mxfp8");
  };
  return made;
}

}  // namespace

std::vector<KernelCell> rmsnorm_cells() {
  std::vector<KernelCell> cells;
  for (const std::int64_t m : {1, 8, 8192}) cells.push_back(rmsnorm_cell(m, 5120));
  cells.push_back(rmsnorm_cell(8192, 7168));
  for (const std::int64_t m : {1, 8, 8192}) cells.push_back(hc_rmsnorm_cell(m, 5120, true));
  cells.push_back(hc_rmsnorm_cell(8192, 5120, false));
  return cells;
}

}  // namespace keysieve::kernel_bench

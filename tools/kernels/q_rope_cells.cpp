#include <fmt/format.h>

#include <cmath>

#include "kernels/cell.hpp"

namespace keysieve::kernel_bench {
namespace {

constexpr std::int64_t kMaxPosition = 131072, kHeads = 16;

// How many of the table's positions `tokens` draws are expected to name: each is read from memory once.
std::int64_t distinct_positions(std::int64_t tokens) {
  const double missed = std::exp(static_cast<double>(tokens) * std::log1p(-1.0 / kMaxPosition));
  return std::llround(kMaxPosition * (1 - missed));
}

KernelCell cell(std::int64_t tokens) {
  constexpr std::int64_t kDims = 512, kPairs = 32, kTableRowBytes = kPairs * 2 * 4;
  KernelCell made;
  made.kernel = "q_rope_store";
  made.size = fmt::format("{} tokens x {} heads, {} positions", tokens, kHeads, kMaxPosition);
  made.read_bytes = tokens * (kHeads * kDims * 2 + 4) + distinct_positions(tokens) * kTableRowBytes;
  made.write_bytes = tokens * kHeads * kDims * 2;
  made.make = [=](Arena& arena) {
    keysieve_q_rope_store_args args;
    keysieve_q_rope_store_args_init(&args);
    args.call = call_on_device();
    args.out = arena.tensor(KEYSIEVE_ELEMENT_BFLOAT16, {tokens, kHeads, kDims});
    args.q = arena.bfloat16({tokens, kHeads, kDims});
    args.freqs = arena.float32({kMaxPosition, kPairs, 2});
    args.positions = arena.int32({tokens}, 0, kMaxPosition);
    return work_of(args, keysieve_q_rope_store, "q_rope_store");
  };
  return made;
}

}  // namespace

std::vector<KernelCell> q_rope_cells() {
  std::vector<KernelCell> cells;
  for (const std::int64_t tokens : {1, 8, 8192, 65536}) cells.push_back(cell(tokens));
  return cells;
}

}  // namespace keysieve::kernel_bench

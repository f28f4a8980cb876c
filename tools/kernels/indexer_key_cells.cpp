#include <fmt/format.h>

#include "kernels/cell.hpp"
#include "keysieve/indexer_keys.h"

namespace keysieve::kernel_bench {
namespace {

constexpr std::int64_t kPageSlots = 64;

KernelCell fp4_quantise_cell(std::int64_t rows) {
  KernelCell made;
  made.kernel = "fp4_quantise";
  made.size = fmt::format("{} vectors", rows);
  made.read_bytes = rows * 256;
  made.write_bytes = rows * 68;
  made.make = [=](Arena& arena) {
    keysieve_fp4_quantise_args args;
    keysieve_fp4_quantise_args_init(&args);
    args.call = call_on_device();
    args.payload = arena.tensor(KEYSIEVE_ELEMENT_BYTE, {rows, 64});
    args.scales = arena.tensor(KEYSIEVE_ELEMENT_INT32, {rows});
    args.x = arena.bfloat16({rows, 128});
    return work_of(args, keysieve_fp4_quantise, "fp4_quantise");
  };
  return made;
}

KernelCell fp8_quantise_cell(std::int64_t rows) {
  KernelCell made;
  made.kernel = "fp8_quantise";
  made.size = fmt::format("{} vectors", rows);
  made.read_bytes = rows * 256;
  made.write_bytes = rows * 132;
  made.make = [=](Arena& arena) {
    keysieve_fp8_quantise_args args;
    keysieve_fp8_quantise_args_init(&args);
    args.call = call_on_device();
    args.payload = arena.tensor(KEYSIEVE_ELEMENT_BYTE, {rows, 128});
    args.scales = arena.tensor(KEYSIEVE_ELEMENT_FLOAT32, {rows});
    args.x = arena.bfloat16({rows, 128});
    return work_of(args, keysieve_fp8_quantise, "fp8_quantise");
  };
  return made;
}

// Slots are drawn, so that some are named twice: for time alone.
template <typename Args>
KernelCell copy_cell(const char* kernel, std::int64_t payload_bytes, std::int64_t count, void (*init)(Args*),
                     keysieve_status (*run)(const Args*, void*)) {
  constexpr std::int64_t kPages = 8192;
  KernelCell made;
  made.kernel = kernel;
  made.size = fmt::format("{} slots of {}", count, kPages * kPageSlots);
  made.read_bytes = count * (payload_bytes + 4 + 8);
  made.write_bytes = count * (payload_bytes + 4);
  made.make = [=](Arena& arena) {
    Args args;
    init(&args);
    args.call = call_on_device();
    args.cache = arena.bytes({kPages, kPageSlots, payload_bytes + 4});
    args.payload = arena.bytes({count, payload_bytes});
    args.scales = payload_bytes == 64 ? arena.tensor(KEYSIEVE_ELEMENT_INT32, {count})
                                      : arena.tensor(KEYSIEVE_ELEMENT_FLOAT32, {count});
    args.slots = arena.int64({count}, 0, kPages * kPageSlots);
    return work_of(args, run, kernel);
  };
  return made;
}

KernelCell key_cell(std::int64_t rows) {
  constexpr std::int64_t kPages = 8192, kPositions = 65536;
  KernelCell made;
  made.kernel = "fp4_indexer_key";
  made.size = fmt::format("{} keys", rows);
  // Rotations: 256 bytes a key, each of its own position.
  made.read_bytes = rows * (256 + 256 + 8 + 8);
  made.write_bytes = rows * 68;
  made.make = [=](Arena& arena) {
    keysieve_fp4_indexer_key_args args;
    keysieve_fp4_indexer_key_args_init(&args);
    args.call = call_on_device();
    args.eps = 1e-6f;
    args.ratio = 2;
    args.cache = arena.bytes({kPages, kPageSlots, 68});
    args.x = arena.bfloat16({rows, 128});
    args.weight = arena.bfloat16({128});
    args.freqs = arena.float32({kPositions, 64});
    args.positions = arena.int64({rows}, 0, kPositions);
    args.slots = arena.int64({rows}, 1, kPages * kPageSlots - 1);
    return work_of(args, keysieve_fp4_indexer_key, "fp4_indexer_key");
  };
  return made;
}

KernelCell query_cell(std::int64_t tokens, std::int64_t heads) {
  constexpr std::int64_t kPositions = 65536;
  KernelCell made;
  made.kernel = "fp4_indexer_query";
  made.size = fmt::format("{} tokens of {} heads", tokens, heads);
  made.read_bytes = tokens * (heads * (256 + 2) + 256 + 8);
  made.write_bytes = tokens * heads * (68 + 4);
  made.make = [=](Arena& arena) {
    keysieve_fp4_indexer_query_args args;
    keysieve_fp4_indexer_query_args_init(&args);
    args.call = call_on_device();
    args.weight_scale = 0.125f;
    args.payload = arena.tensor(KEYSIEVE_ELEMENT_BYTE, {tokens, heads, 64});
    args.scales = arena.tensor(KEYSIEVE_ELEMENT_INT32, {tokens, heads});
    args.weights_out = arena.tensor(KEYSIEVE_ELEMENT_FLOAT32, {tokens, heads});
    args.x = arena.bfloat16({tokens, heads, 128});
    args.freqs = arena.float32({kPositions, 64});
    args.positions = arena.int64({tokens}, 0, kPositions);
    args.weights = arena.bfloat16({tokens, heads});
    return work_of(args, keysieve_fp4_indexer_query, "fp4_indexer_query");
  };
  return made;
}

}  // namespace

std::vector<KernelCell> indexer_key_cells() {
  std::vector<KernelCell> cells;
  for (const std::int64_t rows : {1, 8, 8192, 65536, 524288}) cells.push_back(fp4_quantise_cell(rows));
  for (const std::int64_t rows : {1, 8, 8192, 65536, 524288}) cells.push_back(fp8_quantise_cell(rows));
  for (const std::int64_t count : {8, 8192, 262144}) {
    cells.push_back(copy_cell("fp4_store", 64, count, keysieve_fp4_store_args_init, keysieve_fp4_store));
    cells.push_back(copy_cell("fp8_store", 128, count, keysieve_fp8_store_args_init, keysieve_fp8_store));
    cells.push_back(copy_cell("fp4_gather", 64, count, keysieve_fp4_gather_args_init, keysieve_fp4_gather));
    cells.push_back(copy_cell("fp8_gather", 128, count, keysieve_fp8_gather_args_init, keysieve_fp8_gather));
  }
  for (const std::int64_t rows : {1, 8, 8192, 65536}) cells.push_back(key_cell(rows));
  for (const std::int64_t tokens : {1, 8, 4096, 16384}) cells.push_back(query_cell(tokens, 32));
  return cells;
}

}  // namespace keysieve::kernel_bench

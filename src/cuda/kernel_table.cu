#include "cuda/kernel_table.hpp"

#include "cuda/kernel/kernels.hpp"

namespace keysieve::cuda {

namespace {

template <typename Kernel>
const void* handle(Kernel kernel) {
  return reinterpret_cast<const void*>(kernel);
}

}  // namespace

KernelTable built_in_kernels() {
  KernelTable table;
  // In the order of KernelId and of ScoreType.
  table.handles = {{
      {handle(keysieve_trivial_float32), handle(keysieve_trivial_bfloat16), handle(keysieve_trivial_float16)},
      {handle(keysieve_tile16_float32), handle(keysieve_tile16_bfloat16), handle(keysieve_tile16_float16)},
      {handle(keysieve_tile32_float32), handle(keysieve_tile32_bfloat16), handle(keysieve_tile32_float16)},
      {handle(keysieve_tile_cluster_float32), handle(keysieve_tile_cluster_bfloat16),
       handle(keysieve_tile_cluster_float16)},
      {handle(keysieve_sieve_float32), handle(keysieve_sieve_bfloat16), handle(keysieve_sieve_float16)},
      {handle(keysieve_split_float32), handle(keysieve_split_bfloat16), handle(keysieve_split_float16)},
      {handle(keysieve_wide_collect_float32), handle(keysieve_wide_collect_bfloat16),
       handle(keysieve_wide_collect_float16)},
      {handle(keysieve_wide_merge_float32), handle(keysieve_wide_merge_bfloat16), handle(keysieve_wide_merge_float16)},
      {handle(keysieve_publish_sieve_float32), handle(keysieve_publish_sieve_bfloat16),
       handle(keysieve_publish_sieve_float16)},
      {handle(keysieve_publish_split_float32), handle(keysieve_publish_split_bfloat16),
       handle(keysieve_publish_split_float16)},
  }};
  return table;
}

}  // namespace keysieve::cuda

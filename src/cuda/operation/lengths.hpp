// Kernels over the lengths of rows: the context guard, a thread a row; stamps, a warp a row.
#pragma once

#include "cuda/simt/simt.hpp"
#include "helpers/context_guard.hpp"
#include "helpers/selection_stamp.hpp"

namespace keysieve {

KEYSIEVE_DEVICE void context_guard(const ContextGuardParams& params) {
  simt::wait_for_dependencies();
  const std::int64_t step = simt::num_blocks() * simt::block_threads();
  std::uint32_t errors = 0;
  for (std::int64_t row = simt::block_index() * simt::block_threads() + simt::thread_index(); row < params.rows;
       row += step) {
    params.out[row] = guarded_length(params.lengths[row], params.max_context, errors);
  }
  if (errors != 0 && params.error_word != nullptr) simt::atomic_or(params.error_word, errors);
}

KEYSIEVE_DEVICE void selection_stamp(const SelectionStampParams& params) {
  simt::wait_for_dependencies();
  const std::int64_t warps = simt::num_blocks() * simt::block_warps();
  for (std::int64_t row = simt::block_index() * simt::block_warps() + simt::warp_index(); row < params.rows;
       row += warps) {
    const StampedRow stamped(params, row);
    std::uint64_t sum = 0;
    for (std::int64_t column = simt::lane_index(); column < stamped.pages; column += simt::kWarpLanes) {
      sum += stamped.of_page(params, column);
    }
    for (int mask = simt::kWarpLanes / 2; mask > 0; mask /= 2) sum += simt::shuffle_xor(sum, mask);
    if (simt::lane_index() != 0) continue;
    sum += stamped.of_length();
    if (params.expected == nullptr) {
      params.stamps[row] = sum;
    } else if (params.expected[row] != sum) {
      simt::atomic_or(params.error_word, KEYSIEVE_ERROR_STALE_SELECTION);
    }
  }
}

}  // namespace keysieve

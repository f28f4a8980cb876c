// The last step of publishing, a block of threads a row. Most rows have one slot to write.
#pragma once

#include "cuda/operation/report_errors.hpp"
#include "cuda/simt/simt.hpp"
#include "publish/seal_row.hpp"

namespace keysieve {

KEYSIEVE_DEVICE void seal_blocks(const SealBlocksParams& params) {
  simt::wait_for_dependencies();
  const std::int64_t row = simt::block_index();
  const RowGeometry geometry = row_geometry(params.problem, params.args, row);
  const SealedRow sealed(params, row, geometry);
  const PageLine line = block_line(params, geometry);
  std::uint32_t errors = geometry.error_bits;
  KEYSIEVE_NO_UNROLL
  for (std::int64_t slot = sealed.first + simt::thread_index(); slot < params.blocks; slot += simt::block_threads()) {
    seal_slot(params, row, slot, sealed.block_of_slot(slot), line, errors);
  }
  report_errors(params.args.error_word, errors);
  if (simt::thread_index() == 0) {
    if (params.counts != nullptr) params.counts[row] = static_cast<std::int32_t>(sealed.count);
    if (params.valid_lengths != nullptr) params.valid_lengths[row] = sealed.valid;
  }
}

// Block top-k: how many keys of each row compete. A thread a row.
KEYSIEVE_DEVICE void count_keys(const BlockKeysParams& params) {
  simt::wait_for_dependencies();
  const std::int64_t step = simt::num_blocks() * simt::block_threads();
  for (std::int64_t row = simt::block_index() * simt::block_threads() + simt::thread_index(); row < params.problem.rows;
       row += step) {
    const RowGeometry geometry = row_geometry(params.problem, params.args, row);
    params.keys.key_counts[row] = competing_keys(geometry.length, params.keys.kept_blocks);
  }
}

}  // namespace keysieve

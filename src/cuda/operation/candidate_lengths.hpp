// Lengths of candidate rows: a thread a row.
#pragma once

#include "candidates/candidate_lengths.hpp"
#include "candidates/slot_table.hpp"
#include "cuda/operation/report_errors.hpp"

namespace keysieve {

KEYSIEVE_DEVICE void candidate_lengths(const CandidateLengthsParams& params) {
  simt::wait_for_dependencies();
  const std::int64_t step = simt::num_blocks() * simt::block_threads();
  for (std::int64_t row = simt::block_index() * simt::block_threads() + simt::thread_index(); row < params.rows;
       row += step) {
    std::uint32_t errors = 0;
    const std::int64_t length = live_length(params.lengths[row], 0x7FFFFFFF, errors);
    const std::int64_t blocks = (length + (1 << params.block_shift) - 1) >> params.block_shift;
    const std::int64_t dropped = blocks > params.kept_blocks ? blocks - params.kept_blocks : 0;
    params.num_blocks[row] = static_cast<std::int32_t>(blocks);
    params.valid[row] = static_cast<std::int32_t>(length - (dropped << params.block_shift));
    report_errors(params.error_word, errors);
  }
}

}  // namespace keysieve

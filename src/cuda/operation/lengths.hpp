// Kernels over the lengths of rows: the context guard, a thread a row; stamps, a warp or a block a row.
#pragma once

#include "cuda/operation/report_errors.hpp"
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
  report_errors(params.error_word, errors);
}

// What thread `thread` of a row's `threads` adds to its stamp. Entries are read 16 bytes at a time where lines allow
// it, and four loads are under way before the first is used.
KEYSIEVE_DEVICE std::uint64_t stamp_of_pages(const SelectionStampParams& params, const StampedRow& stamped,
                                             std::uint32_t thread, std::uint32_t threads) {
  constexpr std::uint32_t kAtOnce = 4;
  // Below 2^31, so that a step past the end stays below 2^32.
  const auto pages = static_cast<std::uint32_t>(stamped.pages);
  const auto entries = static_cast<std::uint32_t>(stamped.entries(params));
  const std::int32_t* line = entries > 0 ? params.page_table + stamped.line * params.table_row_stride : nullptr;
  std::uint64_t sum = 0;
  std::uint32_t done = 0;  // columns from the first on
  if (params.vectors_fit != 0) {
    done = entries & ~3u;
    KEYSIEVE_NO_UNROLL
    for (std::uint32_t first = 4 * thread; first < done; first += 4 * kAtOnce * threads) {
      simt::Vector loaded[kAtOnce];
      KEYSIEVE_UNROLL
      for (std::uint32_t i = 0; i < kAtOnce; ++i) {
        const std::uint32_t column = first + 4 * i * threads;
        loaded[i] = simt::load_streaming(line + (column < done ? column : first));
      }
      KEYSIEVE_UNROLL
      for (std::uint32_t i = 0; i < kAtOnce; ++i) {
        const std::uint32_t column = first + 4 * i * threads;
        if (column >= done) continue;
        KEYSIEVE_UNROLL
        for (std::uint32_t w = 0; w < 4; ++w) sum += mix_of(static_cast<std::int32_t>(loaded[i].words[w]), column + w);
      }
    }
  } else {
    KEYSIEVE_NO_UNROLL
    for (std::uint32_t first = thread; first < entries; first += kAtOnce * threads) {
      std::int32_t loaded[kAtOnce];
      KEYSIEVE_UNROLL
      for (std::uint32_t i = 0; i < kAtOnce; ++i) {
        const std::uint32_t column = first + i * threads;
        loaded[i] = line[column < entries ? column : first];
      }
      KEYSIEVE_UNROLL
      for (std::uint32_t i = 0; i < kAtOnce; ++i) {
        const std::uint32_t column = first + i * threads;
        if (column < entries) sum += mix_of(loaded[i], column);
      }
    }
    done = entries;
  }
  KEYSIEVE_NO_UNROLL
  for (std::uint32_t column = done + thread; column < pages; column += threads) {
    sum += mix_of(column < entries ? line[column] : -1, column);
  }
  return sum;
}

KEYSIEVE_DEVICE void store_stamp(const SelectionStampParams& params, std::int64_t row, std::uint64_t stamp) {
  if (params.expected == nullptr) {
    params.stamps[row] = stamp;
  } else if (params.expected[row] != stamp) {
    simt::atomic_or(params.error_word, KEYSIEVE_ERROR_STALE_SELECTION);
  }
}

// Sums are modulo 2^64: their order is free.
KEYSIEVE_DEVICE void selection_stamp(const SelectionStampParams& params) {
  simt::wait_for_dependencies();
  const bool row_is_block = params.row_is_block != 0;
  const int lane = simt::lane_index(), warp = simt::warp_index(), warps = simt::block_warps();
  auto* sums = reinterpret_cast<std::uint64_t*>(simt::shared_memory());
  const std::int64_t step = row_is_block ? simt::num_blocks() : simt::num_blocks() * warps;
  KEYSIEVE_NO_UNROLL
  for (std::int64_t row = row_is_block ? simt::block_index() : simt::block_index() * warps + warp; row < params.rows;
       row += step) {
    const StampedRow stamped(params, row);
    std::uint64_t sum =
        stamp_of_pages(params, stamped, static_cast<std::uint32_t>(row_is_block ? simt::thread_index() : lane),
                       static_cast<std::uint32_t>(row_is_block ? simt::block_threads() : simt::kWarpLanes));
    for (int mask = simt::kWarpLanes / 2; mask > 0; mask /= 2) sum += simt::shuffle_xor(sum, mask);
    if (!row_is_block) {
      if (lane == 0) store_stamp(params, row, sum + stamped.of_length());
      continue;
    }
    if (lane == 0) sums[warp] = sum;
    simt::sync_block();
    if (simt::thread_index() == 0) {
      sum = stamped.of_length();
      for (int i = 0; i < warps; ++i) sum += sums[i];
      store_stamp(params, row, sum);
    }
    if (row + step < params.rows) simt::sync_block();  // before the sums are overwritten
  }
}

}  // namespace keysieve

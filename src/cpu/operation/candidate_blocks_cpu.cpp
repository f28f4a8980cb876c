// Candidates on the CPU: lengths, keys and tables of blocks, candidates one by one.
#include <algorithm>
#include <limits>

#include "core/number_formats.hpp"
#include "cpu/error_word.hpp"
#include "cpu/operations.hpp"
#include "cpu/parallel.hpp"

namespace keysieve::cpu {
namespace {

float score_at(const BlockMaxParams& params, std::int64_t at) {
  return params.is_bfloat16 != 0 ? float_from_bfloat16(static_cast<const std::uint16_t*>(params.scores)[at])
                                 : static_cast<const float*>(params.scores)[at];
}

void block_max_row(const BlockMaxParams& params, std::int64_t row) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::uint32_t errors = 0;
  const std::int64_t length = live_length(params.lengths[row], params.most_length, errors);
  report(params.error_word, errors);
  const std::int64_t size = std::int64_t{1} << params.block_shift;
  const std::int64_t blocks = (length + size - 1) >> params.block_shift;
  if (blocks == 0 || (params.kept_blocks > 0 && blocks <= params.kept_blocks)) return;
  float* out = params.out + row * params.out_row_stride;
  for (std::int64_t block = 0; block + 1 < blocks; ++block) {
    const std::int64_t first = row * params.score_row_stride + block * size;
    float most = -kInfinity;
    for (std::int64_t at = first; at < first + size; ++at) {
      const float score = score_at(params, at);
      if (score > most) most = score;
    }
    out[block] = most == 0 ? 0.0f : most;
  }
  out[blocks - 1] = kInfinity;
}

void sort_blocks_row(const SortBlocksParams& params, std::int64_t row) {
  std::uint32_t errors = 0;
  const SlotLine line = line_of_row(params.table, row);
  std::int64_t length = live_length(params.lengths[row], INT32_MAX, errors);
  if (line.is_empty_row) length = 0;
  const std::int64_t size = std::int64_t{1} << params.block_shift;
  const auto num_blocks = static_cast<std::int32_t>((length + size - 1) >> params.block_shift);
  std::int32_t* blocks = params.blocks + row * params.blocks_row_stride;
  std::int32_t count = num_blocks;
  if (num_blocks <= params.kept) {
    for (std::int32_t j = 0; j < params.kept; ++j) blocks[j] = j < num_blocks ? j : kNoBlock;
  } else {
    const std::int32_t* selected = params.selected + row * params.selected_row_stride;
    count = 0;
    for (std::int32_t j = 0; j < params.kept; ++j) {
      // Before blocks[count]: the two may be the same row.
      const std::int32_t id = selected[j];
      if (id >= 0 && id < num_blocks) {
        blocks[count++] = id;
      } else if (!is_padding(id)) {
        errors |= KEYSIEVE_ERROR_BAD_ID;
      }
    }
    std::sort(blocks, blocks + count);
    count = static_cast<std::int32_t>(std::unique(blocks, blocks + count) - blocks);
    std::fill(blocks + count, blocks + params.kept, kNoBlock);
  }
  if (params.phys != nullptr) {
    std::int32_t* phys = params.phys + row * params.phys_row_stride;
    for (std::int32_t j = 0; j < params.kept; ++j) {
      phys[j] = j < count ? slot_of(params.table, line, blocks[j], errors) : kNoBlock;
    }
  }
  if (params.counts != nullptr) params.counts[row] = count;
  if (params.valid != nullptr) {
    const std::int64_t end = count == 0 ? 0 : std::min<std::int64_t>(length - blocks[count - 1] * size, size);
    params.valid[row] = count == 0 ? 0 : static_cast<std::int32_t>((count - 1) * size + end);
  }
  report(params.error_word, errors);
}

void candidate_slots_row(const CandidateSlotsParams& params, std::int64_t row) {
  std::uint32_t errors = 0;
  const SlotLine line = line_of_row(params.table, row);
  std::int64_t length = live_length(params.lengths[row], INT32_MAX, errors);
  if (line.is_empty_row) length = 0;
  const std::int32_t* blocks = params.blocks + row * params.blocks_row_stride;
  std::int64_t* positions = params.positions + row * params.positions_row_stride;
  std::int32_t* slots = params.slots + row * params.slots_row_stride;
  const std::int64_t mask = (std::int64_t{1} << params.block_shift) - 1;
  std::int32_t count = 0;
  for (std::int64_t column = 0; column < params.columns; ++column) {
    const std::int32_t id = length > 0 ? blocks[column >> params.block_shift] : -1;
    const std::int64_t first = static_cast<std::int64_t>(id) << params.block_shift;
    const bool is_block = id >= 0 && first < length;
    if (!is_block && !is_padding(id)) errors |= KEYSIEVE_ERROR_BAD_ID;
    const std::int64_t position = first + (column & mask);
    const bool is_live = is_block && position < length;
    positions[column] = is_live ? position : -1;
    slots[column] = is_live ? slot_of(params.table, line, static_cast<std::int32_t>(position), errors) : -1;
    count += is_live ? 1 : 0;
  }
  params.counts[row] = count;
  report(params.error_word, errors);
}

}  // namespace

void candidate_lengths(const CandidateLengthsParams& params, std::int32_t) {
  std::uint32_t errors = 0;
  const std::int64_t size = std::int64_t{1} << params.block_shift;
  for (std::int64_t row = 0; row < params.rows; ++row) {
    const std::int64_t length = live_length(params.lengths[row], INT32_MAX, errors);
    const std::int64_t blocks = (length + size - 1) >> params.block_shift;
    const std::int64_t dropped = std::max<std::int64_t>(blocks - params.kept_blocks, 0);
    params.num_blocks[row] = static_cast<std::int32_t>(blocks);
    params.valid[row] = static_cast<std::int32_t>(length - dropped * size);
  }
  report(params.error_word, errors);
}

void block_max(const BlockMaxParams& params, std::int32_t threads) {
  parallel_for_each(threads, params.rows,
                    IndexedBody([&](std::int32_t, std::int64_t row) { block_max_row(params, row); }));
}

void sort_blocks(const SortBlocksParams& params, std::int32_t threads) {
  parallel_for_each(threads, params.rows,
                    IndexedBody([&](std::int32_t, std::int64_t row) { sort_blocks_row(params, row); }));
}

void candidate_slots(const CandidateSlotsParams& params, std::int32_t threads) {
  parallel_for_each(threads, params.rows,
                    IndexedBody([&](std::int32_t, std::int64_t row) { candidate_slots_row(params, row); }));
}

}  // namespace keysieve::cpu

// The last step of publishing a row: the newest block, rows that keep all their blocks, the fill behind the last.
#pragma once

#include "core/row_geometry.hpp"
#include "core/slot.hpp"
#include "cuda/kernel_args.hpp"
#include "keysieve/publish.h"

namespace keysieve {

struct SealBlocksParams {
  SelectProblem problem;         // of the scores
  SelectArgs args;               // strides resolved; the page table where there are physical blocks
  const std::int32_t* selected;  // [rows] blocks that have been chosen by their keys; null: none anywhere
  std::int64_t blocks;           // slots of a row
  std::int32_t* block_ids;
  std::int64_t block_ids_row_stride;
  std::int32_t* physical;  // may be null
  std::int64_t physical_row_stride;
  std::int32_t* counts;         // may be null
  std::int32_t* valid_lengths;  // may be null
};

// What is left to write of a row: slots from `first` on.
struct SealedRow {
  std::int64_t first;
  std::int64_t count;   // kept blocks
  std::int64_t newest;  // id of the newest block, -1 in an empty row
  std::int32_t valid;   // columns in the kept blocks
  bool keeps_every_block;

  KEYSIEVE_HOST_DEVICE SealedRow(const SealBlocksParams& params, std::int64_t row, const RowGeometry& geometry) {
    const std::int64_t blocks = (geometry.length + kPublishBlock - 1) / kPublishBlock;
    newest = blocks - 1;
    keeps_every_block = blocks <= params.blocks;
    if (keeps_every_block) {
      first = 0;
      count = blocks;
    } else {
      first = params.selected != nullptr ? params.selected[row] : 0;
      count = first + 1;
    }
    valid = count == 0
                ? 0
                : static_cast<std::int32_t>(kPublishBlock * (count - 1) + (geometry.length - newest * kPublishBlock));
  }

  // Block of slot `slot`, first or later; -1 behind the last.
  KEYSIEVE_HOST_DEVICE std::int64_t block_of_slot(std::int64_t slot) const {
    if (slot >= count) return -1;
    return keeps_every_block ? slot : newest;
  }
};

KEYSIEVE_HOST_DEVICE inline PageLine block_line(const SealBlocksParams& params, const RowGeometry& geometry) {
  const SelectArgs& args = params.args;
  return PageLine(args.page_table, args.page_table_rows, args.page_table_columns, args.page_table_row_stride,
                  args.page_size / kPublishBlock, args.num_pages, geometry.table_line);
}

KEYSIEVE_HOST_DEVICE inline void seal_slot(const SealBlocksParams& params, std::int64_t row, std::int64_t slot,
                                           std::int64_t block, const PageLine& line, std::uint32_t& errors) {
  params.block_ids[row * params.block_ids_row_stride + slot] =
      block < 0 ? KEYSIEVE_NO_BLOCK : static_cast<std::int32_t>(block);
  if (params.physical != nullptr) {
    params.physical[row * params.physical_row_stride + slot] =
        block < 0 ? KEYSIEVE_NO_BLOCK : narrow_slot<std::int32_t>(line.slot(block, errors), errors);
  }
}

// Keys that compete in a row of so many columns: all but the newest, or none where every block is kept.
KEYSIEVE_HOST_DEVICE inline std::int32_t competing_keys(std::int64_t length, std::int64_t kept_blocks) {
  const std::int64_t blocks = (length + kPublishBlock - 1) / kPublishBlock;
  return blocks > kept_blocks ? static_cast<std::int32_t>(blocks - 1) : 0;
}

// For the CPU backend: the keys that the CUDA kernels make while they select.
struct BlockKeysParams {
  SelectProblem problem;
  SelectArgs args;
  BlockKeys keys;
};

}  // namespace keysieve

#include "reference/publish_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/rows.hpp"

namespace keysieve::reference {
namespace {

struct KeyedBlock {
  double key;
  std::int64_t id;
};

// All blocks of a row, with the newest above everything.
std::vector<KeyedBlock> blocks_of(const SelectProblem& problem, const void* scores, std::int64_t length) {
  constexpr double kLowest = -std::numeric_limits<double>::infinity();
  std::vector<KeyedBlock> blocks;
  for (std::int64_t begin = 0; begin < length; begin += KEYSIEVE_PUBLISH_BLOCK) {
    double key = kLowest;
    for (std::int64_t i = begin; i < std::min(length, begin + KEYSIEVE_PUBLISH_BLOCK); ++i) {
      const double score = read_score(scores, i, problem.score_type);
      if (!std::isnan(score)) key = std::max(key, score);
    }
    blocks.push_back({key, begin / KEYSIEVE_PUBLISH_BLOCK});
  }
  return blocks;
}

// Ids of those that are kept, ascending.
std::vector<std::int64_t> kept_of(std::vector<KeyedBlock> blocks, std::int64_t most, bool keep_neg_inf) {
  std::vector<std::int64_t> kept;
  if (static_cast<std::int64_t>(blocks.size()) <= most) {
    for (const KeyedBlock& block : blocks) kept.push_back(block.id);
    return kept;
  }
  kept.push_back(blocks.back().id);
  blocks.pop_back();
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const KeyedBlock& a, const KeyedBlock& b) { return a.key > b.key; });
  for (const KeyedBlock& block : blocks) {
    if (static_cast<std::int64_t>(kept.size()) == most) break;
    if (!keep_neg_inf && block.key == -std::numeric_limits<double>::infinity()) break;
    kept.push_back(block.id);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

// keyed(row, length): all blocks of a row.
template <typename Keyed>
void write_blocks(const keysieve_publish_problem& problem, const SealBlocksParams& params, const Keyed& keyed) {
  std::uint32_t errors = 0;
  for (std::int64_t row = 0; row < params.problem.rows; ++row) {
    const Window window = window_of(params.problem, params.args, row, errors);
    const std::vector<std::int64_t> kept = kept_of(keyed(row, window.n), problem.blocks, problem.keep_neg_inf != 0);
    const auto count = static_cast<std::int64_t>(kept.size());
    for (std::int64_t slot = 0; slot < problem.blocks; ++slot) {
      const bool filled = slot < count;
      const std::int64_t id = filled ? kept[static_cast<std::size_t>(slot)] : KEYSIEVE_NO_BLOCK;
      params.block_ids[row * params.block_ids_row_stride + slot] = static_cast<std::int32_t>(id);
      if (params.physical == nullptr) continue;
      std::int64_t physical = KEYSIEVE_NO_BLOCK;
      if (filled) {
        physical = paged_slot(id, page_table_of(params.args, params.args.page_size / KEYSIEVE_PUBLISH_BLOCK),
                              table_line(params.problem, params.args, row), errors);
      }
      store_index(params.physical, row * params.physical_row_stride + slot, IndexType::kInt32, physical, errors);
    }
    if (params.counts != nullptr) params.counts[row] = static_cast<std::int32_t>(count);
    if (params.valid_lengths != nullptr) {
      std::int64_t valid = 0;
      for (const std::int64_t id : kept) {
        valid += std::min<std::int64_t>(KEYSIEVE_PUBLISH_BLOCK, window.n - id * KEYSIEVE_PUBLISH_BLOCK);
      }
      params.valid_lengths[row] = static_cast<std::int32_t>(valid);
    }
  }
  if (params.args.error_word != nullptr) *params.args.error_word |= errors;
}

}  // namespace

void publish_blocks(const keysieve_publish_problem& problem, const SealBlocksParams& params) {
  const std::int64_t row_bytes = params.args.score_row_stride * size_bytes(params.problem.score_type);
  write_blocks(problem, params, [&](std::int64_t row, std::int64_t length) {
    return blocks_of(params.problem, static_cast<const char*>(params.args.scores) + row * row_bytes, length);
  });
}

void choose_blocks(const keysieve_publish_problem& problem, const BlockKeys& keys, const SealBlocksParams& params) {
  write_blocks(problem, params, [&](std::int64_t row, std::int64_t length) {
    std::vector<KeyedBlock> blocks;
    for (std::int64_t id = 0; id * KEYSIEVE_PUBLISH_BLOCK < length; ++id) {
      const double key = read_score(keys.keys + row * keys.row_stride, id, ScoreType::kFloat32);
      blocks.push_back({std::isnan(key) ? -std::numeric_limits<double>::infinity() : key, id});
    }
    return blocks;
  });
}

}  // namespace keysieve::reference

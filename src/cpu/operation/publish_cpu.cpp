// Publishing on the CPU: keys of the blocks, and the last step.
#include "core/key_order.hpp"
#include "core/number_formats.hpp"
#include "cpu/error_word.hpp"
#include "cpu/operations.hpp"
#include "cpu/parallel.hpp"

namespace keysieve::cpu {
namespace {

// Bits of the score as FP32.
std::uint32_t score_bits(const void* scores, ScoreType type, std::int64_t at) {
  if (type == ScoreType::kFloat32) return static_cast<const std::uint32_t*>(scores)[at];
  const std::uint16_t bits = static_cast<const std::uint16_t*>(scores)[at];
  return type == ScoreType::kBFloat16 ? std::uint32_t{bits} << 16 : bits_of(float_from_half_bits(bits));
}

void keys_of_row(const BlockKeysParams& params, std::int64_t row) {
  const RowGeometry geometry = row_geometry(params.problem, params.args, row);
  const std::int32_t competing = competing_keys(geometry.length, params.keys.kept_blocks);
  params.keys.key_counts[row] = competing;
  const std::int64_t first = row * params.args.score_row_stride + geometry.start;
  float* keys = params.keys.keys + row * params.keys.row_stride;
  for (std::int64_t block = 0; block < competing; ++block) {
    // Compared as integers, so that a thread which treats subnormals as zero gets the same.
    std::uint32_t best = Float32Bits::kSignMask | Float32Bits::kInfinity;
    for (std::int64_t column = first + block * kPublishBlock; column < first + (block + 1) * kPublishBlock; ++column) {
      const std::uint32_t bits = score_bits(params.args.scores, params.problem.score_type, column);
      if (!is_nan<Float32Bits>(bits) && number_key<Float32Bits>(bits) > number_key<Float32Bits>(best)) best = bits;
    }
    keys[block] = float_of(best);
  }
}

std::uint32_t seal_row(const SealBlocksParams& params, std::int64_t row) {
  const RowGeometry geometry = row_geometry(params.problem, params.args, row);
  const SealedRow sealed(params, row, geometry);
  const PageLine line = block_line(params, geometry);
  std::uint32_t errors = geometry.error_bits;
  for (std::int64_t slot = sealed.first; slot < params.blocks; ++slot) {
    seal_slot(params, row, slot, sealed.block_of_slot(slot), line, errors);
  }
  if (params.counts != nullptr) params.counts[row] = static_cast<std::int32_t>(sealed.count);
  if (params.valid_lengths != nullptr) params.valid_lengths[row] = sealed.valid;
  return errors;
}

}  // namespace

void block_keys(const BlockKeysParams& params, std::int32_t threads) {
  parallel_for_each(threads, params.problem.rows,
                    IndexedBody([&](std::int32_t, std::int64_t row) { keys_of_row(params, row); }));
}

void count_keys(const BlockKeysParams& params, std::int32_t /*threads*/) {
  for (std::int64_t row = 0; row < params.problem.rows; ++row) {
    const RowGeometry geometry = row_geometry(params.problem, params.args, row);
    params.keys.key_counts[row] = competing_keys(geometry.length, params.keys.kept_blocks);
  }
}

void seal_blocks(const SealBlocksParams& params, std::int32_t threads) {
  parallel_for_each(threads, params.problem.rows, IndexedBody([&](std::int32_t, std::int64_t row) {
                      report(params.args.error_word, seal_row(params, row));
                    }));
}

}  // namespace keysieve::cpu

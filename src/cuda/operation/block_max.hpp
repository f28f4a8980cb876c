// Keys of blocks. A lane takes a piece, 16 bytes or one score, and neighbouring lanes neighbouring pieces, so that
// every load of a warp is one run of bytes; the few lanes that share a block exchange what they found. The newest block
// is +inf whatever it holds and is not read, so every block that is read is whole.
#pragma once

#include "candidates/block_max.hpp"
#include "candidates/slot_table.hpp"
#include "cuda/operation/report_errors.hpp"
#include "cuda/simt/numbers.hpp"

namespace keysieve {

inline constexpr std::uint32_t kPlusInfinityBits = 0x7F800000u, kMinusInfinityBits = 0xFF800000u;

// The largest of 16 bytes of scores, or -inf.
template <bool kBfloat16>
KEYSIEVE_DEVICE float largest_of_vector(const simt::Vector& vector) {
  if constexpr (kBfloat16) {
    const std::uint32_t most = simt::max_numbers_bfloat(simt::max_numbers_bfloat(vector.words[0], vector.words[1]),
                                                        simt::max_numbers_bfloat(vector.words[2], vector.words[3]));
    return simt::max_number(
        simt::max_number(simt::float_from_bits(most << 16), simt::float_from_bits(most & 0xFFFF0000u)),
        simt::float_from_bits(kMinusInfinityBits));
  } else {
    float most = simt::float_from_bits(kMinusInfinityBits);
    KEYSIEVE_UNROLL
    for (int i = 0; i < 4; ++i) most = simt::max_number(most, simt::float_from_bits(vector.words[i]));
    return most;
  }
}

template <bool kBfloat16>
KEYSIEVE_DEVICE float score_or_minus_infinity(const void* scores, std::int64_t at) {
  float score;
  if constexpr (kBfloat16) {
    score = float_from_bfloat16(static_cast<const std::uint16_t*>(scores)[at]);
  } else {
    score = static_cast<const float*>(scores)[at];
  }
  return simt::max_number(score, simt::float_from_bits(kMinusInfinityBits));
}

// This part's share of a row of whole blocks.
template <bool kBfloat16, bool kVectors>
KEYSIEVE_DEVICE void block_max_of_part(const BlockMaxParams& params, std::int64_t row, std::int64_t part,
                                       std::int64_t whole_blocks) {
  constexpr int kAtOnce = BlockMax::kPiecesAtOnce;
  constexpr int kShiftOfPiece = !kVectors ? 0 : kBfloat16 ? 3 : 2;  // log2 of the scores of a piece
  const int pieces_shift = params.block_shift - kShiftOfPiece;      // of the pieces of a block
  const std::int64_t pieces = whole_blocks << pieces_shift;
  const std::int64_t chunk = std::int64_t{BlockMax::kThreads} * kAtOnce;
  const int lane = simt::lane_index();
  const std::int64_t of_warp =
      part * chunk + static_cast<std::int64_t>(simt::warp_index()) * simt::kWarpLanes * kAtOnce;
  const std::int64_t row_scores = row * params.score_row_stride;
  float* out = params.out + row * params.out_row_stride;
  KEYSIEVE_NO_UNROLL
  for (std::int64_t first = of_warp; first < pieces; first += chunk * params.parts) {
    float most[kAtOnce];
    if constexpr (kVectors) {
      const auto* vectors = static_cast<const simt::Vector*>(params.scores) + (row_scores >> kShiftOfPiece);
      simt::Vector loaded[kAtOnce];
      KEYSIEVE_UNROLL
      for (int i = 0; i < kAtOnce; ++i) {
        const std::int64_t piece = first + i * simt::kWarpLanes + lane;
        // Past the end the last one once more, rather than a branch around each load.
        loaded[i] = simt::load_streaming(vectors + (piece < pieces ? piece : pieces - 1));
      }
      KEYSIEVE_UNROLL
      for (int i = 0; i < kAtOnce; ++i) most[i] = largest_of_vector<kBfloat16>(loaded[i]);
    } else {
      KEYSIEVE_UNROLL
      for (int i = 0; i < kAtOnce; ++i) {
        const std::int64_t piece = first + i * simt::kWarpLanes + lane;
        most[i] = score_or_minus_infinity<kBfloat16>(params.scores, row_scores + (piece < pieces ? piece : pieces - 1));
      }
    }
    KEYSIEVE_NO_UNROLL
    for (int mask = 1; mask < 1 << pieces_shift; mask *= 2) {
      KEYSIEVE_UNROLL
      for (int i = 0; i < kAtOnce; ++i) most[i] = simt::max_number(most[i], simt::shuffle_xor(most[i], mask));
    }
    KEYSIEVE_UNROLL
    for (int i = 0; i < kAtOnce; ++i) {
      const std::int64_t piece = first + i * simt::kWarpLanes + lane;
      // + 0 makes the one zero of the two.
      if (piece < pieces && (lane & ((1 << pieces_shift) - 1)) == 0)
        out[piece >> pieces_shift] = simt::add(most[i], 0.0f);
    }
  }
}

KEYSIEVE_DEVICE void block_max(const BlockMaxParams& params) {
  simt::wait_for_dependencies();
  const auto block = static_cast<std::uint32_t>(simt::block_index());
  const auto parts = static_cast<std::uint32_t>(params.parts);
  const std::int64_t row = block / parts;
  const std::int64_t part = block % parts;
  std::uint32_t errors = 0;
  const std::int64_t length = live_length(params.lengths[row], params.most_length, errors);
  const std::int64_t blocks = (length + (1 << params.block_shift) - 1) >> params.block_shift;
  const bool is_first = part == 0 && simt::thread_index() == 0;
  if (is_first) report_errors(params.error_word, errors);
  if (blocks == 0 || (params.kept_blocks > 0 && blocks <= params.kept_blocks)) return;
  if (is_first) params.out[row * params.out_row_stride + blocks - 1] = simt::float_from_bits(kPlusInfinityBits);
  if (params.vectors_fit != 0) {
    if (params.is_bfloat16 != 0) {
      block_max_of_part<true, true>(params, row, part, blocks - 1);
    } else {
      block_max_of_part<false, true>(params, row, part, blocks - 1);
    }
  } else if (params.is_bfloat16 != 0) {
    block_max_of_part<true, false>(params, row, part, blocks - 1);
  } else {
    block_max_of_part<false, false>(params, row, part, blocks - 1);
  }
}

}  // namespace keysieve

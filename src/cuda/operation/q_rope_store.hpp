// q RoPE store. A thread takes pieces of 8 dims, 16 bytes; the last 8 of a head's 64 pieces are rotated. Decode: a CTA
// a head, a piece a thread. Prefill: a warp takes several heads of one token, two pieces of each a lane, all loads
// before the first store. A thread reads a piece before it writes it and nobody else reads it, so `out` may be `q`.
// Nothing steps over the grid: 2^31 CTAs write more than a device holds.
#pragma once

#include "cuda/simt/numbers.hpp"
#include "helpers/q_rope_store.hpp"

namespace keysieve {

struct QRopePiece {
  template <bool kVectors>
  static KEYSIEVE_DEVICE simt::Vector load(const std::uint16_t* from) {
    if constexpr (kVectors) {
      return simt::load_vector(from);
    } else {
      simt::Vector value;
      KEYSIEVE_UNROLL
      for (int i = 0; i < 4; ++i) {
        value.words[i] = from[2 * i] | static_cast<std::uint32_t>(from[2 * i + 1]) << 16;
      }
      return value;
    }
  }
  template <bool kVectors>
  static KEYSIEVE_DEVICE void store(std::uint16_t* to, const simt::Vector& value) {
    if constexpr (kVectors) {
      simt::store_vector(to, value);
    } else {
      KEYSIEVE_UNROLL
      for (int i = 0; i < 4; ++i) {
        to[2 * i] = static_cast<std::uint16_t>(value.words[i]);
        to[2 * i + 1] = static_cast<std::uint16_t>(value.words[i] >> 16);
      }
    }
  }
};

// Of the four pairs of a piece.
struct QRopeRotation {
  float cosines[4];
  float sines[4];
  bool known;  // the position is in the table
};

// `rotated`: which of the rotated pieces of a head, 0..7.
template <bool kVectors>
KEYSIEVE_DEVICE QRopeRotation q_rope_rotation(const QRopeStoreParams& params, std::int64_t token, int rotated) {
  const std::int64_t position = params.positions_are_64_bit != 0
                                    ? static_cast<const std::int64_t*>(params.positions)[token]
                                    : static_cast<const std::int32_t*>(params.positions)[token];
  QRopeRotation rotation{};
  rotation.known = position >= 0 && position < params.max_position;
  if (rotation.known) {
    const float* from = params.freqs + position * QRopeStore::kRotatedDims + rotated * QRopeStore::kPieceDims;
    if constexpr (kVectors) {
      const simt::Vector first = simt::load_vector(from), second = simt::load_vector(from + 4);
      KEYSIEVE_UNROLL
      for (int i = 0; i < 2; ++i) {
        rotation.cosines[i] = float_of(first.words[2 * i]);
        rotation.sines[i] = float_of(first.words[2 * i + 1]);
        rotation.cosines[2 + i] = float_of(second.words[2 * i]);
        rotation.sines[2 + i] = float_of(second.words[2 * i + 1]);
      }
    } else {
      KEYSIEVE_UNROLL
      for (int i = 0; i < 4; ++i) {
        rotation.cosines[i] = from[2 * i];
        rotation.sines[i] = from[2 * i + 1];
      }
    }
  } else if (rotated == 0 && params.error_word != nullptr) {
    simt::atomic_or(params.error_word, KEYSIEVE_ERROR_BAD_POSITION);
  }
  return rotation;
}

KEYSIEVE_DEVICE simt::Vector rotated_piece(const simt::Vector& piece, const QRopeRotation& rotation) {
  simt::Vector result{{0x7FFF7FFFu, 0x7FFF7FFFu, 0x7FFF7FFFu, 0x7FFF7FFFu}};
  if (!rotation.known) return result;
  KEYSIEVE_UNROLL
  for (int i = 0; i < 4; ++i) {
    const float a = float_of(piece.words[i] << 16), b = float_of(piece.words[i] & 0xFFFF0000u);
    const float c = rotation.cosines[i], s = rotation.sines[i];
    const float first = simt::multiply_add(a, c, -simt::multiply(b, s));
    const float second = simt::multiply_add(a, s, simt::multiply(b, c));
    result.words[i] = simt::bfloat16_pair(first, second);
  }
  return result;
}

struct QRopePlace {
  std::int64_t token;
  std::int64_t rest;
};

// A 64-bit division is a hundred instructions in front of the first load.
KEYSIEVE_DEVICE QRopePlace q_rope_place(std::int64_t index, std::int64_t per_token) {
  if (((index | per_token) >> 32) == 0) {
    const auto narrow = static_cast<std::uint32_t>(index), divisor = static_cast<std::uint32_t>(per_token);
    const std::uint32_t token = narrow / divisor;
    return {token, narrow - token * divisor};
  }
  const std::int64_t token = index / per_token;
  return {token, index - token * per_token};
}

template <bool kVectors>
KEYSIEVE_DEVICE void q_rope_decode(const QRopeStoreParams& params) {
  const int piece = simt::thread_index();
  const QRopePlace place = q_rope_place(simt::block_index(), params.heads);
  const std::int64_t within = place.rest * QRopeStore::kDims + piece * QRopeStore::kPieceDims;
  simt::Vector value = QRopePiece::load<kVectors>(params.q + place.token * params.q_stride + within);
  if (piece >= QRopeStore::kCopiedPieces) {
    value = rotated_piece(value, q_rope_rotation<kVectors>(params, place.token, piece - QRopeStore::kCopiedPieces));
  }
  QRopePiece::store<kVectors>(params.out + place.token * params.out_stride + within, value);
}

// A warp takes kHeads heads of a token, from `head` on, or the `heads` that are left.
template <bool kVectors, int kHeads>
KEYSIEVE_DEVICE void q_rope_heads(const QRopeStoreParams& params, std::int64_t token, std::int64_t head,
                                  std::int64_t heads) {
  constexpr int kLanes = simt::kWarpLanes, kHalf = QRopeStore::kDims / 2;
  static_assert(QRopeStore::kPieces == 2 * kLanes && QRopeStore::kCopiedPieces >= kLanes);
  constexpr int kFirstRotated = QRopeStore::kCopiedPieces - kLanes;
  const int lane = simt::lane_index();
  const std::int64_t within = head * QRopeStore::kDims + lane * QRopeStore::kPieceDims;
  const std::uint16_t* q = params.q + token * params.q_stride + within;
  std::uint16_t* out = params.out + token * params.out_stride + within;
  simt::Vector low[kHeads] = {}, high[kHeads] = {};
  KEYSIEVE_UNROLL
  for (int i = 0; i < kHeads; ++i) {
    if (i < heads) {
      low[i] = QRopePiece::load<kVectors>(q + i * QRopeStore::kDims);
      high[i] = QRopePiece::load<kVectors>(q + i * QRopeStore::kDims + kHalf);
    }
  }
  if (lane >= kFirstRotated) {
    const QRopeRotation rotation = q_rope_rotation<kVectors>(params, token, lane - kFirstRotated);
    KEYSIEVE_UNROLL
    for (int i = 0; i < kHeads; ++i) high[i] = rotated_piece(high[i], rotation);
  }
  KEYSIEVE_UNROLL
  for (int i = 0; i < kHeads; ++i) {
    if (i < heads) {
      QRopePiece::store<kVectors>(out + i * QRopeStore::kDims, low[i]);
      QRopePiece::store<kVectors>(out + i * QRopeStore::kDims + kHalf, high[i]);
    }
  }
}

template <bool kVectors>
KEYSIEVE_DEVICE void q_rope_prefill(const QRopeStoreParams& params) {
  constexpr int kHeads = QRopeStore::kHeadsAtOnce;
  const std::int64_t groups = (params.heads + kHeads - 1) / kHeads;
  const std::int64_t group = simt::block_index() * simt::block_warps() + simt::warp_index();
  if (group >= params.tokens * groups) return;
  const QRopePlace place = q_rope_place(group, groups);
  // Pieces that go dim by dim would take too many registers together.
  constexpr int kAtOnce = kVectors ? kHeads : 1;
  KEYSIEVE_NO_UNROLL
  for (int i = 0; i < kHeads; i += kAtOnce) {
    const std::int64_t head = place.rest * kHeads + i;
    if (head < params.heads) q_rope_heads<kVectors, kAtOnce>(params, place.token, head, params.heads - head);
  }
}

KEYSIEVE_DEVICE void q_rope_store(const QRopeStoreParams& params) {
  simt::wait_for_dependencies();
  const bool vectors = params.vectors_fit != 0;
  if (params.branch == QRopeBranch::kDecode) {
    return vectors ? q_rope_decode<true>(params) : q_rope_decode<false>(params);
  }
  return vectors ? q_rope_prefill<true>(params) : q_rope_prefill<false>(params);
}

}  // namespace keysieve

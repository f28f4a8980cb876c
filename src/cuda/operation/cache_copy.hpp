// Vectors into slots of a cache and out of them: a thread moves 16 bytes, or 4 where vectors do not fit, and the thread
// of a payload's first piece its scale too.
#pragma once

#include "cuda/simt/numbers.hpp"
#include "helpers/cache_copy.hpp"

namespace keysieve {

KEYSIEVE_DEVICE std::int64_t slot_at(const void* slots, std::int32_t are_64_bit, std::int64_t n) {
  return are_64_bit != 0 ? static_cast<const std::int64_t*>(slots)[n] : static_cast<const std::int32_t*>(slots)[n];
}

KEYSIEVE_DEVICE void report(std::uint32_t* error_word, std::uint32_t bit) {
  if (error_word != nullptr) simt::atomic_or(error_word, bit);
}

KEYSIEVE_DEVICE void copy_piece(std::uint8_t* to, const std::uint8_t* from, bool vectors_fit) {
  if (vectors_fit) {
    simt::store_vector(to, simt::load_streaming(from));
  } else {
    simt::store_word(to, *reinterpret_cast<const std::uint32_t*>(from));
  }
}

// body(n, piece) for every piece of every vector.
template <typename Body>
KEYSIEVE_DEVICE void for_each_piece(const CacheCopyParams& params, const Body& body) {
  const std::int64_t pieces = params.count << params.piece_shift;
  const std::int64_t step = simt::num_blocks() * simt::block_threads();
  for (std::int64_t at = simt::block_index() * simt::block_threads() + simt::thread_index(); at < pieces; at += step) {
    body(at >> params.piece_shift, static_cast<std::int32_t>(at & ((std::int64_t{1} << params.piece_shift) - 1)));
  }
}

KEYSIEVE_DEVICE void cache_store(const CacheCopyParams& params) {
  simt::wait_for_dependencies();
  const bool vectors_fit = params.vectors_fit != 0;
  for_each_piece(params, [&](std::int64_t n, std::int32_t piece) {
    const std::int64_t slot = slot_at(params.slots, params.slots_are_64_bit, n);
    if (slot < 0) return;
    if (slot >= params.cache.num_slots) {
      if (piece == 0) report(params.error_word, KEYSIEVE_ERROR_BAD_ID);
      return;
    }
    const std::int32_t offset = piece * (vectors_fit ? 16 : 4);
    copy_piece(params.cache.payload_of(slot) + offset, params.payload + n * params.payload_row_stride + offset,
               vectors_fit);
    if (piece == 0) *params.cache.scale_of(slot) = params.scales[n];
  });
}

KEYSIEVE_DEVICE void cache_gather(const CacheCopyParams& params) {
  simt::wait_for_dependencies();
  const bool vectors_fit = params.vectors_fit != 0;
  for_each_piece(params, [&](std::int64_t n, std::int32_t piece) {
    const std::int64_t slot = slot_at(params.slots, params.slots_are_64_bit, n);
    const std::int32_t offset = piece * (vectors_fit ? 16 : 4);
    std::uint8_t* to = params.payload + n * params.payload_row_stride + offset;
    if (slot >= 0 && slot < params.cache.num_slots) {
      // The scale's load goes out before the payload's has come back.
      const std::uint32_t scale = piece == 0 ? *params.cache.scale_of(slot) : 0;
      copy_piece(to, params.cache.payload_of(slot) + offset, vectors_fit);
      if (piece == 0) params.scales[n] = scale;
      return;
    }
    if (vectors_fit) {
      simt::store_vector(to, simt::Vector{});
    } else {
      simt::store_word(to, 0);
    }
    if (piece != 0) return;
    params.scales[n] = 0;
    if (slot != -1) report(params.error_word, KEYSIEVE_ERROR_BAD_ID);
  });
}

}  // namespace keysieve

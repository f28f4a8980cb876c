// 64 compares as one 64-bit word. Included once per Highway target.
//
// Highway's CompressStore would be the natural tool for what follows such a compare, but as shipped (1.0.3) its
// AVX2 form keeps the permutation table in a local constant that g++ 12 copies to the stack on every call: 1 KiB a
// vector, three times the cost of reading a row. A word of bits and a loop over them costs a fraction.

#if defined(KEYSIEVE_CPU_BLOCK_MASK_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef KEYSIEVE_CPU_BLOCK_MASK_INL_HPP_
#undef KEYSIEVE_CPU_BLOCK_MASK_INL_HPP_
#else
#define KEYSIEVE_CPU_BLOCK_MASK_INL_HPP_
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "cpu/workspace_layout.hpp"

HWY_BEFORE_NAMESPACE();
namespace keysieve::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Lanes of a mask as the low bits of a word.
template <class D, class Mask>
HWY_INLINE std::uint64_t mask_bits(D d, Mask mask) {
#if HWY_HAVE_SCALABLE
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  std::uint64_t word;
  std::memcpy(&word, bytes, 8);
  return word;
#else
  // Exactly as many bytes as are stored: reading more would wait for the store to reach the cache.
  constexpr std::size_t kBytes = (hn::MaxLanes(D()) + 7) / 8;
  std::uint8_t bytes[kBytes];
  hn::StoreMaskBits(d, mask, bytes);
  if constexpr (kBytes == 1) {
    return bytes[0];
  } else if constexpr (kBytes == 2) {
    std::uint16_t word;
    std::memcpy(&word, bytes, 2);
    return word;
  } else if constexpr (kBytes == 4) {
    std::uint32_t word;
    std::memcpy(&word, bytes, 4);
    return word;
  } else {
    std::uint64_t word;
    std::memcpy(&word, bytes, 8);
    return word;
  }
#endif
}

#if HWY_TARGET == HWY_AVX2
// AVX2 has no mask registers; one movemask a vector and the shifts to put the pieces together cost more than the
// compares. Eight 32-bit masks are narrowed to bytes first. Narrowing works inside 128-bit halves, so four vectors
// a, b, c, d come out as a0 b0 c0 d0 a1 b1 c1 d1 (each of four bytes) and are put right by one permutation.
template <class Mask>
HWY_INLINE std::uint64_t four_masks_of_8(Mask a, Mask b, Mask c, Mask d) {
  const __m256i ab = _mm256_packs_epi32(a.raw, b.raw);
  const __m256i cd = _mm256_packs_epi32(c.raw, d.raw);
  const __m256i halves = _mm256_packs_epi16(ab, cd);
  const __m256i bytes = _mm256_permutevar8x32_epi32(halves, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
}

template <class Mask>
HWY_INLINE std::uint64_t two_masks_of_16(Mask a, Mask b) {
  const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(a.raw, b.raw), _MM_SHUFFLE(3, 1, 2, 0));
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
}
#endif

// Calls compare(column) -> mask for every vector of a block of 64 lanes and returns the 64 results as bits.
template <class D, typename Compare>
HWY_INLINE std::uint64_t block_bits(D di, Compare&& compare) {
#if HWY_TARGET == HWY_AVX2
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return four_masks_of_8(compare(0), compare(8), compare(16), compare(24)) |
           four_masks_of_8(compare(32), compare(40), compare(48), compare(56)) << 32;
  } else {
    return two_masks_of_16(compare(0), compare(16)) | two_masks_of_16(compare(32), compare(48)) << 32;
  }
#else
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(di));
  std::uint64_t bits = 0;
  for (std::int64_t column = 0; column < kBlockColumns; column += lanes) {
    bits |= mask_bits(di, compare(column)) << column;
  }
  return bits;
#endif
}

// Calls visit(bit) for every set bit, lowest first.
template <typename Visit>
HWY_INLINE void for_each_bit(std::uint64_t word, Visit&& visit) {
  for (; word != 0; word &= word - 1) visit(std::countr_zero(word));
}

}  // namespace keysieve::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

// How the columns of a register row are counted: bins over a range of scores, and the bin where the k-th best lies.
#pragma once

#include "cuda/block/block_scan.hpp"
#include "cuda/block/block_select.hpp"
#include "cuda/block/register_row.hpp"

namespace keysieve {

// Bins of equal width over the numbers from `lowest` to `highest`. Two instructions place a score: the sum with 2^23
// is a whole number, and leaves that of its bin in the lowest bits. Rounding is monotone, so a higher score is never in
// a lower bin, whatever the range; that is all that exactness needs.
class NumberBins {
 public:
  // `lowest` < `highest`, both finite.
  KEYSIEVE_DEVICE NumberBins(float lowest, float highest)
      : lowest_(lowest), scale_(simt::approximate_quotient(static_cast<float>(kSelectBins - 2), highest - lowest)) {}

  // False where the quotient is 0 or infinite, of a range that is too wide or too narrow.
  KEYSIEVE_DEVICE bool is_usable() const { return scale_ > 0 && scale_ < simt::float_from_bits(0x7F800000u); }

  // The compiler must work places out again that it worked out before: kept, they would take a register a column.
  KEYSIEVE_DEVICE void forget_places() { scale_ = simt::unknown(scale_); }

  // kZero + its bin; kZero - 1 or less for a score below the range, NaN for NaN.
  KEYSIEVE_DEVICE float place(float value) const { return simt::multiply_add(value - lowest_, scale_, kZero); }
  // Above every bin where the place is none.
  KEYSIEVE_DEVICE static std::uint32_t bin(float place) { return simt::bits_from_float(place) - kZeroBits; }
  KEYSIEVE_DEVICE static float place_of(std::uint32_t bin) { return simt::float_from_bits(kZeroBits + bin); }

 private:
  static constexpr float kZero = 8388609.0f;  // 2^23 + 1
  static constexpr std::uint32_t kZeroBits = 0x4B000001u;

  float lowest_;
  float scale_;
};

// The lowest and the highest of a range of keys.
struct KeyRange {
  Key lowest = 0xFFFFFFFFu;
  Key highest = 0;

  KEYSIEVE_DEVICE void add(Key key) {
    lowest = key < lowest ? key : lowest;
    highest = key > highest ? key : highest;
  }
};

// All threads: the range of all their keys. One barrier, behind which `partials` is read: two numbers a warp, which
// nobody may read from an earlier use of theirs.
KEYSIEVE_DEVICE KeyRange range_of_block(std::uint32_t* partials, const KeyRange& mine) {
  const Key warp_lowest = simt::warp_min(mine.lowest);
  const Key warp_highest = simt::warp_max(mine.highest);
  const int lane = simt::lane_index();
  std::uint32_t* lowest = partials;
  std::uint32_t* highest = partials + kMaxWarps;
  const int warp = simt::warp_index();
  if (lane == 0) {
    lowest[warp] = warp_lowest;
    highest[warp] = warp_highest;
  }
  simt::sync_block();
  const bool is_warp = lane < simt::block_warps();
  return {simt::warp_min(is_warp ? lowest[lane] : 0xFFFFFFFFu), simt::warp_max(is_warp ? highest[lane] : 0u)};
}

// The bin, counted from the top, that holds the `wanted`-th; a count of 0 where the bins hold fewer. All threads, the
// bins being visible; ends with a barrier, behind which they are free. A thread has four neighbouring bins, or a run of
// such vectors in a small block; warps for which none is left only wait.
KEYSIEVE_DEVICE FoundBin find_bin_by_block(const Block& block, std::uint32_t wanted) {
  constexpr std::int32_t kBinVectors = kSelectBins / 4;
  const std::int32_t run = (kBinVectors + simt::block_threads() - 1) / simt::block_threads();
  const int lane = simt::lane_index();
  const int warp = simt::warp_index();
  const bool looks = warp * simt::kWarpLanes * run < kBinVectors;
  // The highest vector of this thread; below 0 where it has none.
  const std::int32_t first = kBinVectors - 1 - simt::thread_index() * run;
  const auto* vectors = reinterpret_cast<const simt::Vector*>(block.bins);
  if (simt::thread_index() == 0) block.state->found_bin.count = 0;
  simt::Vector four{};
  std::uint32_t mine = 0;
  std::uint32_t inclusive = 0;
  if (looks) {
    KEYSIEVE_NO_UNROLL
    for (std::int32_t i = first; i > first - run && i >= 0; --i) {
      four = vectors[i];
      mine += four.words[0] + four.words[1] + (four.words[2] + four.words[3]);
    }
    inclusive = warp_inclusive_sum(mine);
    if (lane == simt::kWarpLanes - 1) block.partials[warp] = inclusive;
  }
  simt::sync_block();
  if (looks) {
    std::uint32_t above = simt::warp_sum(lane < warp ? block.partials[lane] : 0) + inclusive - mine;
    if (above < wanted && above + mine >= wanted) {
      std::int32_t vector = first;
      if (run > 1) {
        KEYSIEVE_NO_UNROLL
        while (true) {
          four = vectors[vector];
          const std::uint32_t sum = four.words[0] + four.words[1] + (four.words[2] + four.words[3]);
          if (above + sum >= wanted) break;
          above += sum;
          --vector;
        }
      }
      int word = 3;
      KEYSIEVE_UNROLL
      for (int i = 3; i > 0; --i) {
        if (word == i && above + four.words[i] < wanted) {
          above += four.words[i];
          word = i - 1;
        }
      }
      const std::uint32_t count =
          word > 1 ? (word == 3 ? four.words[3] : four.words[2]) : (word == 1 ? four.words[1] : four.words[0]);
      block.state->found_bin = {static_cast<std::uint32_t>(4 * vector + word), above, count};
    }
  }
  simt::sync_block();
  return block.state->found_bin;
}

}  // namespace keysieve

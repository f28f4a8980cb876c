// The k-th largest of an array of 32-bit keys by counting: bisection on the key, one SIMD pass a step, no
// histogram and no data-dependent branch. Included once per Highway target.

#if defined(KEYSIEVE_CPU_THRESHOLD_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef KEYSIEVE_CPU_THRESHOLD_INL_HPP_
#undef KEYSIEVE_CPU_THRESHOLD_INL_HPP_
#else
#define KEYSIEVE_CPU_THRESHOLD_INL_HPP_
#endif

#include <hwy/highway.h>

#include "core/key_order.hpp"
#include "cpu/block_mask-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace keysieve::cpu::HWY_NAMESPACE {

using DKeys = hn::ScalableTag<std::uint32_t>;
using VKeys = hn::Vec<DKeys>;
using KeyBlockTag = hn::CappedTag<std::uint32_t, kBlockColumns>;

struct KeyRange {
  Key lowest;
  Key highest;
};

HWY_INLINE KeyRange key_range(const std::uint32_t* keys, std::int64_t count) {
  const DKeys d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  VKeys low = hn::Set(d, ~0u), high = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const VKeys v = hn::LoadU(d, keys + i);
    low = hn::Min(low, v);
    high = hn::Max(high, v);
  }
  KeyRange range{hn::GetLane(hn::MinOfLanes(d, low)), hn::GetLane(hn::MaxOfLanes(d, high))};
  for (; i < count; ++i) {
    range.lowest = keys[i] < range.lowest ? keys[i] : range.lowest;
    range.highest = keys[i] > range.highest ? keys[i] : range.highest;
  }
  return range;
}

// How many keys are at least `bound`.
HWY_INLINE std::int64_t count_at_least(const std::uint32_t* keys, std::int64_t count, Key bound) {
  const DKeys d;
  const hn::RebindToSigned<DKeys> di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const VKeys threshold = hn::Set(d, bound);
  // A mask is all ones, that is -1: subtracting masks counts. Two sums, since one would wait on itself.
  auto sum0 = hn::Zero(di), sum1 = hn::Zero(di);
  std::int64_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    sum0 = hn::Sub(sum0, hn::BitCast(di, hn::VecFromMask(d, hn::Gt(threshold, hn::LoadU(d, keys + i)))));
    sum1 = hn::Sub(sum1, hn::BitCast(di, hn::VecFromMask(d, hn::Gt(threshold, hn::LoadU(d, keys + i + lanes)))));
  }
  std::int64_t below =
      static_cast<std::int64_t>(static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(di, hn::Add(sum0, sum1)))));
  for (; i < count; ++i) below += keys[i] < bound ? 1 : 0;
  return count - below;
}

struct Threshold {
  Key key;                 // every key above belongs to the top k
  std::int64_t num_above;  // <= k
  // k - num_above of the keys equal to `key` belong to it too.
};

// Needs 1 <= k <= count and count < 2^31. At most 33 passes whatever the keys are; for distinct keys it stops as
// soon as a bound has exactly k keys at or above it.
HWY_INLINE Threshold find_threshold(const std::uint32_t* keys, std::int64_t count, std::int64_t k) {
  const KeyRange range = key_range(keys, count);
  Key low = range.lowest;    // count(key >= low) >= k
  Key high = range.highest;  // count(key > high) < k
  std::int64_t above_high = 0;
  while (low < high) {
    const Key middle = low + (high - low) / 2 + 1;
    const std::int64_t at_least = count_at_least(keys, count, middle);
    if (at_least == k) return {middle - 1, k};
    if (at_least > k) {
      low = middle;
    } else {
      high = middle - 1;
      above_high = at_least;
    }
  }
  return {low, above_high};
}

// Moves the keys inside [low, high] to the front and returns their number.
HWY_INLINE std::int64_t keep_inside(std::uint32_t* keys, std::int64_t count, Key low, Key high) {
  const KeyBlockTag d;
  const auto base = hn::Set(d, low), span = hn::Set(d, high - low);
  std::int64_t kept = 0, i = 0;
  for (; i + kBlockColumns <= count; i += kBlockColumns) {
    const std::uint32_t* block = keys + i;
    const std::uint64_t outside =
        block_bits(d, [&](std::int64_t at) HWY_ATTR { return hn::Gt(hn::Sub(hn::LoadU(d, block + at), base), span); });
    for_each_bit(~outside, [&](int bit) HWY_ATTR { keys[kept++] = block[bit]; });
  }
  for (; i < count; ++i) {
    const Key key = keys[i];
    keys[kept] = key;
    kept += key - low <= high - low ? 1 : 0;
  }
  return kept;
}

// As find_threshold, but drops keys that a step has decided: for a sample, whose keys spread over the whole range,
// most steps then see few of them.
HWY_INLINE Threshold find_threshold_consuming(std::uint32_t* keys, std::int64_t count, std::int64_t k) {
  KeyRange range = key_range(keys, count);
  std::int64_t above = 0;           // keys found to be above range.highest,
  std::int64_t above_in_array = 0;  // and those of them that have not been dropped yet
  std::int64_t inside = count;
  while (range.lowest < range.highest) {
    const Key middle = range.lowest + (range.highest - range.lowest) / 2 + 1;
    const std::int64_t upper = count_at_least(keys, count, middle) - above_in_array;
    if (above + upper == k) return {middle - 1, k};
    if (above + upper > k) {
      range.lowest = middle;
      inside = upper;
    } else {
      range.highest = middle - 1;
      above += upper;
      above_in_array += upper;
      inside -= upper;
    }
    if (inside * 4 <= count * 3) {
      count = inside = keep_inside(keys, count, range.lowest, range.highest);
      above_in_array = 0;
      range = key_range(keys, count);
    }
  }
  return {range.lowest, above};
}

}  // namespace keysieve::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

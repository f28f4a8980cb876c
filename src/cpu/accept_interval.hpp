// "Is this score at or above the cutoff?" as one subtraction and one compare per lane.
//
// Map the bits b of a score to o(b) = b for positive, b ^ 0x7FF..F for negative scores (integers modulo 2^W).
// Going up from -inf the values o run through all negative scores to -0 (all ones), +0 (zero), the positive
// scores and +inf; positive NaNs follow, then negative NaNs, and then -inf again. So on this circle the scores
// that a cutoff accepts are *one* interval, whatever the NaN policy: [cutoff, +inf] where NaN is lowest,
// [cutoff, the NaN just before -inf] where NaN is highest. Membership is (o - first) <= span, modulo 2^W.
//
// Integer arithmetic only: a thread that treats subnormals as zero gets the same answer.
#pragma once

#include "core/key_order.hpp"

namespace keysieve::cpu {

template <typename Format>
struct AcceptInterval {
  using Bits = typename Format::Bits;
  Bits first = 0;
  Bits span = 0;
  bool nothing = false;  // no score can pass
};

template <typename Format>
constexpr typename Format::Bits circle_position(typename Format::Bits bits) {
  constexpr auto kMagnitude = static_cast<typename Format::Bits>(~Format::kSignMask);
  return static_cast<typename Format::Bits>((bits & Format::kSignMask) != 0 ? bits ^ kMagnitude : bits);
}

template <typename Format>
constexpr bool accepts(const AcceptInterval<Format>& interval, typename Format::Bits bits) {
  using Bits = typename Format::Bits;
  return !interval.nothing && static_cast<Bits>(circle_position<Format>(bits) - interval.first) <= interval.span;
}

// The scores whose key (core/key_order.hpp) is at least `cutoff`, where NaN has the key `nan_key`
// (kKeyNanLowest or kKeyNanHighest).
template <typename Format>
constexpr AcceptInterval<Format> accept_interval(Key cutoff, Key nan_key) {
  using Bits = typename Format::Bits;
  constexpr int kShift = 32 - Format::kWidth;
  constexpr Key kNegativeInfinity = kKeyNegativeInfinity<Format>;
  constexpr Key kPositiveInfinity = number_key<Format>(Format::kInfinity);
  constexpr Key kZero = number_key<Format>(0);
  const Bits o_negative_infinity = circle_position<Format>(static_cast<Bits>(Format::kSignMask | Format::kInfinity));
  const auto span_to = [](Bits first, Bits last) { return static_cast<Bits>(last - first); };
  const bool nan_highest = nan_key == kKeyNanHighest;

  AcceptInterval<Format> interval;
  if (cutoff <= kKeyNanLowest || (nan_highest && cutoff <= kNegativeInfinity)) {
    interval.span = static_cast<Bits>(~Bits{0});  // everything
    return interval;
  }
  if (cutoff > kPositiveInfinity) {
    interval.nothing = !nan_highest || cutoff > kKeyNanHighest;
    interval.first = static_cast<Bits>(Format::kInfinity + 1);
    interval.span = span_to(interval.first, static_cast<Bits>(o_negative_infinity - 1));
    return interval;
  }
  if (cutoff <= kNegativeInfinity) {
    interval.first = o_negative_infinity;
  } else {
    // Round up to the next key that the format has; both zeros share the key of +0, so start at -0.
    const Key key = kShift == 0
                        ? cutoff
                        : static_cast<Key>((static_cast<std::uint64_t>(cutoff) + ((Key{1} << kShift) - 1)) >> kShift)
                              << kShift;
    const Bits ordered = static_cast<Bits>(key >> kShift);
    interval.first = key == kZero ? static_cast<Bits>(~Bits{0}) : static_cast<Bits>(ordered ^ Format::kSignMask);
  }
  const Bits last = nan_highest ? static_cast<Bits>(o_negative_infinity - 1) : static_cast<Bits>(Format::kInfinity);
  interval.span = span_to(interval.first, last);
  return interval;
}

}  // namespace keysieve::cpu

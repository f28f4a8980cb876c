// Sampling and streaming of one row. Included once per Highway target.

#if defined(KEYSIEVE_CPU_ROW_SCAN_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef KEYSIEVE_CPU_ROW_SCAN_INL_HPP_
#undef KEYSIEVE_CPU_ROW_SCAN_INL_HPP_
#else
#define KEYSIEVE_CPU_ROW_SCAN_INL_HPP_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "cpu/accept_interval.hpp"
#include "cpu/block_mask-inl.hpp"
#include "cpu/row_kernels.hpp"
#include "cpu/sample_runs.hpp"
#include "cpu/threshold-inl.hpp"
#include "cpu/workspace_layout.hpp"

HWY_BEFORE_NAMESPACE();
namespace keysieve::cpu::HWY_NAMESPACE {

// Keys of raw score bits, in place. Twin of ordered_key; the tests hold the two together.
template <typename Format>
HWY_INLINE void key_raw_bits(std::uint32_t* keys, std::int64_t begin, std::int64_t end, Key nan_key) {
  const DKeys d;
  const hn::RebindToSigned<DKeys> di;
  constexpr int kShift = 32 - Format::kWidth;
  constexpr std::uint32_t kInfinity = static_cast<std::uint32_t>(Format::kInfinity) << kShift;
  constexpr std::uint32_t kFormatMask = kShift == 0 ? ~0u : ~((1u << kShift) - 1);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const VKeys sign = hn::Set(d, 0x80000000u);
  std::int64_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    VKeys bits = hn::LoadU(d, keys + i);
    if constexpr (kShift != 0) bits = hn::ShiftLeft<kShift>(bits);
    const auto is_nan = hn::Gt(hn::AndNot(sign, bits), hn::Set(d, kInfinity));
    bits = hn::IfThenElse(hn::Eq(bits, sign), hn::Zero(d), bits);
    // Negative: flip all bits; positive: flip the sign.
    const VKeys negative = hn::BitCast(d, hn::ShiftRight<31>(hn::BitCast(di, bits)));
    VKeys key = hn::Xor(bits, hn::Or(negative, sign));
    if constexpr (kShift != 0) key = hn::And(key, hn::Set(d, kFormatMask));
    hn::StoreU(hn::IfThenElse(is_nan, hn::Set(d, nan_key), key), d, keys + i);
  }
  for (; i < end; ++i) keys[i] = ordered_key<Format>(static_cast<typename Format::Bits>(keys[i]), nan_key);
}

// Bit i of the result: column i of the 64 at `block` is accepted.
// kPositive: the interval lies within the positive scores and +inf, whose bits are their own place on the circle;
// that is nearly every cutoff of a real row, and saves half of the arithmetic.
template <typename Format, bool kPositive>
HWY_INLINE std::uint64_t accept_block(const typename Format::Bits* block, const AcceptInterval<Format>& interval) {
  using Bits = typename Format::Bits;
  using Signed = std::conditional_t<Format::kWidth == 32, std::int32_t, std::int16_t>;
  // At most 64 lanes, so that a vector never holds more than a block.
  const hn::CappedTag<Bits, kBlockColumns> d;
  const hn::RebindToSigned<decltype(d)> di;
  // SIMD compares are signed on x86: shift both sides by half the circle.
  const auto bias = hn::Set(d, static_cast<Bits>(-(interval.first + Format::kSignMask)));
  const auto limit = hn::Set(di, static_cast<Signed>(interval.span ^ Format::kSignMask));
  return ~block_bits(di, [&](std::int64_t column) HWY_ATTR {
    auto bits = hn::LoadU(d, block + column);
    if constexpr (!kPositive) {
      const auto negative = hn::BitCast(d, hn::ShiftRight<Format::kWidth - 1>(hn::BitCast(di, bits)));
      bits = hn::Xor(bits, hn::ShiftRight<1>(negative));
    }
    return hn::Gt(hn::BitCast(di, hn::Add(bits, bias)), limit);
  });
}

// Appends the columns of `accepted` at keys[0], columns[0] and on; returns their number. Four are written whatever
// the number is: a count that is nearly always small would otherwise cost a mispredicted branch a block.
template <typename Bits, bool kDescending>
HWY_INLINE std::int64_t push_block(const Bits* block, std::uint32_t first_column, std::uint64_t accepted,
                                   std::uint32_t* HWY_RESTRICT keys, std::uint32_t* HWY_RESTRICT columns) {
  const int count = std::popcount(accepted);
  const auto write = [&](int slot) HWY_ATTR {
    // `& 63` keeps the position in range when nothing is left; such a slot is overwritten or never read.
    const int column = (kDescending ? 63 - std::countl_zero(accepted) : std::countr_zero(accepted)) & 63;
    keys[slot] = block[column];
    columns[slot] = first_column + static_cast<std::uint32_t>(column);
    if constexpr (kDescending) {
      accepted &= ~(1ull << column);
    } else {
      accepted &= accepted - 1;
    }
  };
  write(0);
  write(1);
  write(2);
  write(3);
  for (int slot = 4; HWY_UNLIKELY(slot < count); ++slot) write(slot);
  return count;
}

template <typename Format>
HWY_INLINE void key_new_candidates(CandidateBuffer& buffer, Key nan_key) {
  key_raw_bits<Format>(buffer.keys, buffer.num_keyed, buffer.size, nan_key);
  buffer.num_keyed = buffer.size;
}

HWY_INLINE void compact_buffer(CandidateBuffer& buffer) {
  if (buffer.size <= buffer.keep) return;
  const Threshold threshold = find_threshold(buffer.keys, buffer.size, buffer.keep);
  const KeyBlockTag d;
  const auto bound = hn::Set(d, threshold.key);
  std::int64_t ties_left = buffer.keep - threshold.num_above;
  std::int64_t kept = 0;
  const auto keep_word = [&](std::int64_t first, std::uint64_t above, std::uint64_t ties) HWY_ATTR {
    if (HWY_UNLIKELY(ties != 0 && ties_left > 0)) {
      while (std::popcount(ties) > ties_left) ties &= ~(1ull << (63 - std::countl_zero(ties)));
      ties_left -= std::popcount(ties);
      above |= ties;
    }
    for_each_bit(above, [&](int bit) HWY_ATTR {
      buffer.keys[kept] = buffer.keys[first + bit];
      buffer.columns[kept] = buffer.columns[first + bit];
      ++kept;
    });
  };
  std::int64_t i = 0;
  for (; i + kBlockColumns <= buffer.size; i += kBlockColumns) {
    const std::uint32_t* keys = buffer.keys + i;
    const auto above = block_bits(d, [&](std::int64_t at) HWY_ATTR { return hn::Gt(hn::LoadU(d, keys + at), bound); });
    const auto ties = ties_left == 0 ? 0 : block_bits(d, [&](std::int64_t at) HWY_ATTR {
      return hn::Eq(hn::LoadU(d, keys + at), bound);
    });
    keep_word(i, above, ties);
  }
  for (; i < buffer.size; ++i) {
    keep_word(i, buffer.keys[i] > threshold.key ? 1 : 0, buffer.keys[i] == threshold.key ? 1 : 0);
  }
  buffer.size = buffer.num_keyed = kept;
  // Whatever comes later loses every tie, so it must be better than the worst that stayed. When no tie was
  // taken that worst is above threshold.key, which is then still a valid, slightly low bound.
  buffer.cutoff = std::max(buffer.cutoff, threshold.key + 1);
  buffer.compacted = true;
}

// Blocks [first_block, num_blocks) in visiting order, until the buffer is full. Returns the block to go on with.
template <typename Format, bool kDescending, bool kPositive>
HWY_INLINE std::int64_t collect_blocks(const typename Format::Bits* scores, std::int64_t begin,
                                       std::int64_t first_block, std::int64_t num_blocks,
                                       const AcceptInterval<Format>& interval, CandidateBuffer& buffer) {
  std::uint32_t* const keys = buffer.keys;
  std::uint32_t* const columns = buffer.columns;
  const std::int64_t full = buffer.capacity - kBlockColumns;
  constexpr std::int64_t kBlockBytes = kBlockColumns * static_cast<std::int64_t>(sizeof(typename Format::Bits));
  constexpr std::int64_t kAheadBytes = 2048;
  std::int64_t size = buffer.size;
  std::int64_t i = first_block;
  for (; i < num_blocks && size <= full; ++i) {
    const std::int64_t column = begin + (kDescending ? num_blocks - 1 - i : i) * kBlockColumns;
    const auto* ahead = reinterpret_cast<const char*>(scores + column) + (kDescending ? -kAheadBytes : kAheadBytes);
    for (std::int64_t line = 0; line < kBlockBytes; line += 64) hwy::Prefetch(ahead + line);
    const std::uint64_t accepted = accept_block<Format, kPositive>(scores + column, interval);
    size += push_block<typename Format::Bits, kDescending>(scores + column, static_cast<std::uint32_t>(column),
                                                           accepted, keys + size, columns + size);
  }
  buffer.size = size;
  return i;
}

template <typename Format, bool kDescending>
HWY_INLINE void collect_direction(const RowView& row, std::int64_t begin, std::int64_t end, CandidateBuffer& buffer) {
  const auto* scores = static_cast<const typename Format::Bits*>(row.scores);
  const std::int64_t num_blocks = (end - begin) / kBlockColumns;
  const std::int64_t tail = begin + num_blocks * kBlockColumns;
  AcceptInterval<Format> interval = accept_interval<Format>(buffer.cutoff, row.nan_key);

  const auto make_room = [&]() HWY_ATTR {
    if (buffer.size + kBlockColumns <= buffer.capacity) return;
    key_new_candidates<Format>(buffer, row.nan_key);
    compact_buffer(buffer);
    interval = accept_interval<Format>(buffer.cutoff, row.nan_key);
  };
  const auto push_tail = [&]() HWY_ATTR {
    make_room();
    for (std::int64_t i = 0; i < end - tail; ++i) {
      const std::int64_t column = kDescending ? end - 1 - i : tail + i;
      if (!accepts(interval, scores[column])) continue;
      buffer.keys[buffer.size] = scores[column];
      buffer.columns[buffer.size] = static_cast<std::uint32_t>(column);
      ++buffer.size;
    }
  };

  if (kDescending) push_tail();
  for (std::int64_t i = 0; i < num_blocks;) {
    make_room();
    if (interval.nothing) break;  // k NaNs under nan = highest: nothing can beat them
    const bool positive =
        interval.first <= Format::kInfinity && interval.first + std::int64_t{interval.span} == Format::kInfinity;
    i = positive ? collect_blocks<Format, kDescending, true>(scores, begin, i, num_blocks, interval, buffer)
                 : collect_blocks<Format, kDescending, false>(scores, begin, i, num_blocks, interval, buffer);
  }
  if (!kDescending) push_tail();
  key_new_candidates<Format>(buffer, row.nan_key);
}

template <typename Format>
void collect_row(const RowView& row, std::int64_t begin, std::int64_t end, bool descending, CandidateBuffer& buffer) {
  if (descending) {
    collect_direction<Format, true>(row, begin, end, buffer);
  } else {
    collect_direction<Format, false>(row, begin, end, buffer);
  }
}

// The sampled runs of a row: see sample_runs.hpp.
template <typename Format>
class RowSample {
 public:
  using Bits = typename Format::Bits;
  static constexpr std::int64_t kRunColumns = kSampleRunColumns;
  static constexpr std::int64_t kRunsPerBlock = kBlockColumns / kRunColumns;

  // Needs num_runs * kRunColumns <= row.length.
  RowSample(const RowView& row, std::int64_t num_runs)
      : scores_(static_cast<const Bits*>(row.scores)),
        length_(row.length),
        num_runs_(num_runs),
        part_(row.length / num_runs) {}

  const Bits* run(std::int64_t index) const { return scores_ + sample_run_begin(index, num_runs_, length_, part_); }

  // The runs are far apart, so no hardware prefetcher helps: ask for all of them first.
  void prefetch() const {
    for (std::int64_t index = 0; index < num_runs_; ++index) {
      const Bits* columns = run(index);
      hwy::Prefetch(columns);
      hwy::Prefetch(columns + kRunColumns - 1);
    }
  }

  // By vectors of the width that will read `out`: a wider load would have to wait for narrower stores.
  void copy_run(std::int64_t index, Bits* out) const {
    const hn::CappedTag<Bits, kRunColumns> d;
    const Bits* columns = run(index);
    for (std::size_t i = 0; i < kRunColumns; i += hn::Lanes(d)) hn::StoreU(hn::LoadU(d, columns + i), d, out + i);
  }

 private:
  const Bits* scores_;
  std::int64_t length_;
  std::int64_t num_runs_;
  std::int64_t part_;  // columns of an equal part
};

// Ranks at or above which the k best of `total` fall in a sample of `size`: their expected number, five standard
// deviations of the binomial and a little for tiny numbers. The k-th best itself is then below the rank with
// near certainty.
inline double safe_rank(double k, double size, double total) {
  const double expected = k * size / total;
  return expected + 5.0 * std::sqrt(expected) + 4.0;
}

template <typename Format>
Key first_cutoff(const RowView& row, std::int64_t k, Key floor, std::uint32_t* keys) {
  using Sample = RowSample<Format>;
  using Bits = typename Format::Bits;
  const std::int64_t size = sample_columns(row.length);
  const std::int64_t num_blocks = size / kBlockColumns;
  const std::int64_t num_runs = num_blocks * Sample::kRunsPerBlock;
  if (row.length < size) return floor;
  const double rank = safe_rank(static_cast<double>(k), static_cast<double>(size), static_cast<double>(row.length));
  if (rank * 2.0 >= static_cast<double>(size)) return floor;  // the cutoff would pass most of the row
  const Sample sample(row, num_runs);
  sample.prefetch();

  // A pilot, every eighth run, bounds the rank from below, so that the rest of the sample is only compared and few
  // of its scores are looked at again.
  constexpr std::int64_t kPilotStep = 8;
  std::int64_t pilot_size = 0;
  for (std::int64_t index = 0; index < num_runs; index += kPilotStep) {
    Bits columns[Sample::kRunColumns];
    sample.copy_run(index, columns);
    for (const Bits bits : columns) keys[pilot_size++] = bits;
  }
  key_raw_bits<Format>(keys, 0, pilot_size, row.nan_key);
  const auto pilot_rank =
      static_cast<std::int64_t>(safe_rank(rank, static_cast<double>(pilot_size), static_cast<double>(size)));
  Key pilot_cutoff = 0;
  if (pilot_rank < pilot_size) {
    const Threshold pilot = find_threshold(keys, pilot_size, pilot_rank);
    pilot_cutoff = pilot.num_above == pilot_rank ? pilot.key + 1 : pilot.key;
    // A plateau of equal scores: more samples of it would only say the same.
    if (count_at_least(keys, pilot_size, pilot_cutoff) > pilot_size / 2) return std::max(floor, pilot_cutoff);
  }

  const AcceptInterval<Format> interval = accept_interval<Format>(pilot_cutoff, row.nan_key);
  std::int64_t found = 0;
  std::uint32_t unused_columns[kBlockColumns];
  for (std::int64_t block = 0; block < num_blocks; ++block) {
    Bits columns[kBlockColumns];
    for (std::int64_t run = 0; run < Sample::kRunsPerBlock; ++run) {
      sample.copy_run(block * Sample::kRunsPerBlock + run, columns + run * Sample::kRunColumns);
    }
    const std::uint64_t accepted = accept_block<Format, false>(columns, interval);
    found += push_block<Bits, false>(columns, 0, accepted, keys + found, unused_columns);
  }
  key_raw_bits<Format>(keys, 0, found, row.nan_key);
  const auto sample_rank = static_cast<std::int64_t>(rank);
  if (found <= sample_rank) return std::max(floor, pilot_cutoff);
  const Threshold threshold = find_threshold_consuming(keys, found, sample_rank);
  return std::max(floor, threshold.num_above == sample_rank ? threshold.key + 1 : threshold.key);
}

template <typename Format>
bool has_nan(const RowView& row) {
  const auto* scores = static_cast<const typename Format::Bits*>(row.scores);
  // NaN is what lies above +inf when NaN is highest.
  const auto interval = accept_interval<Format>(kKeyNanHighest, kKeyNanHighest);
  std::int64_t column = 0;
  for (; column + kBlockColumns <= row.length; column += kBlockColumns) {
    if (accept_block<Format, false>(scores + column, interval) != 0) return true;
  }
  for (; column < row.length; ++column) {
    if (is_nan<Format>(scores[column])) return true;
  }
  return false;
}

}  // namespace keysieve::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

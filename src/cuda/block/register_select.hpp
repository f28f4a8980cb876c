// The k best of a row in registers, exactly.
//
// A histogram over the numbers at the top of the row shows which bin holds the k-th best: what lies above it is chosen.
// A few columns in that bin are ranked by comparing all with all. Where they are many, their keys get a histogram of
// their own, until they are few or share one key; then their positions decide. Each such round divides a 32-bit range
// by 512 or more, so four of them do for any input.
#pragma once

#include "cuda/block/team.hpp"

namespace keysieve {

// The order of some of a block's columns in the row. All threads; one barrier.
template <typename Row>
class RowPlaces {
 public:
  // `partials`: one a warp, read behind the barrier.
  KEYSIEVE_DEVICE RowPlaces(std::uint32_t* partials, ColumnMask mask) {
    constexpr int kWords = (Row::kVectors + kFields - 1) / kFields;
    std::uint32_t words[kWords] = {};
    KEYSIEVE_UNROLL
    for (int v = 0; v < Row::kVectors; ++v) words[v / kFields] |= count_of(mask, v) << (kFieldBits * (v % kFields));
    std::uint32_t in_warp = 0;
    KEYSIEVE_UNROLL
    for (int w = 0; w < kWords; ++w) {
      const std::uint32_t inclusive = warp_inclusive_sum(words[w]);
      const std::uint32_t all = simt::shuffle(inclusive, simt::kWarpLanes - 1);
      KEYSIEVE_UNROLL
      for (int v = w * kFields; v < (w + 1) * kFields && v < Row::kVectors; ++v) {
        first_[v] = in_warp + field(inclusive - words[w], v);
        in_warp += field(all, v);
      }
    }
    const int lane = simt::lane_index();
    const int warp = simt::warp_index();
    if (lane == 0) partials[warp] = in_warp;
    simt::sync_block();
    const std::uint32_t of_warp = lane < simt::block_warps() ? partials[lane] : 0;
    total_ = simt::warp_sum(of_warp);
    const std::uint32_t before = simt::warp_sum(lane < warp ? of_warp : 0);
    KEYSIEVE_UNROLL
    for (int v = 0; v < Row::kVectors; ++v) first_[v] += before;
  }

  KEYSIEVE_DEVICE std::uint32_t total() const { return total_; }
  // The place of this thread's first column of vector `v`, if there is one.
  KEYSIEVE_DEVICE std::uint32_t first(int v) const { return first_[v]; }

  KEYSIEVE_DEVICE static ColumnMask columns_of(ColumnMask mask, int v) {
    return mask >> (v * Row::kVectorColumnCount) & ((1u << Row::kVectorColumnCount) - 1);
  }
  KEYSIEVE_DEVICE static std::uint32_t count_of(ColumnMask mask, int v) {
    return static_cast<std::uint32_t>(simt::count_ones(columns_of(mask, v)));
  }

 private:
  // The counts of several vectors are added up in one word: a field holds those of 32 lanes.
  static constexpr int kFields = Row::kVectorColumnCount == 4 ? 4 : 2;
  static constexpr int kFieldBits = 32 / kFields;
  static_assert(Row::kVectorColumnCount * simt::kWarpLanes < 1 << kFieldBits);

  KEYSIEVE_DEVICE static std::uint32_t field(std::uint32_t word, int v) {
    return word >> (kFieldBits * (v % kFields)) & ((1u << kFieldBits) - 1);
  }

  std::uint32_t first_[Row::kVectors];
  std::uint32_t total_;
};

// What has been decided of a thread's columns: these are chosen, and `wanted` of those at the boundary.
struct Decision {
  ColumnMask chosen;
  std::uint32_t wanted;
};

template <typename Row>
KEYSIEVE_DEVICE Key key_of_column(const Block& block, const Row& row, int i) {
  return ordered_key<typename Row::Format>(row.bits(i), block.nan_key);
}

// The range over which a row's numbers are counted: from the best one down to the lowest best of groups, of which there
// are k or more, so that k columns at least are counted, and hardly any that stand no chance. NaN counts as none.
template <typename Row>
KEYSIEVE_DEVICE KeyRange promising_range(const Row& row, std::int64_t k, std::int32_t num_live) {
  using Format = typename Row::Format;
  float best = score_value<Format>(best_bits<Format>(row.vector(0)));
  float lowest_of_vectors = best;
  KEYSIEVE_UNROLL
  for (int v = 1; v < Row::kVectors; ++v) {
    const float best_of_vector = score_value<Format>(best_bits<Format>(row.vector(v)));
    best = simt::max_number(best, best_of_vector);
    lowest_of_vectors = simt::min_number(lowest_of_vectors, best_of_vector);
  }
  float lowest = best;
  if (k * Row::kVectorColumnCount > num_live) {
    KEYSIEVE_UNROLL
    for (int i = 0; i < Row::kColumns; ++i) lowest = simt::min_number(lowest, row.value(i));
  } else if (k * Row::kColumns > num_live) {
    lowest = lowest_of_vectors;
  }
  KeyRange range;
  if (best == best) {
    range = {number_key<Float32Bits>(simt::bits_from_float(lowest)),
             number_key<Float32Bits>(simt::bits_from_float(best))};
  }
  return range;
}

KEYSIEVE_DEVICE float number_of_key(Key key) {
  return simt::float_from_bits((key & 0x80000000u) != 0 ? key ^ 0x80000000u : ~key);
}

// Columns of a thread that are worked on together: no warp takes those of its columns that are dead in all lanes, and
// the compiler does not hold the places of more of them in registers.
inline constexpr int kPartColumns = 16;

KEYSIEVE_DEVICE bool lives_in_warp(ColumnMask live, int part) {
  return simt::warp_any((live >> part & ((1u << kPartColumns) - 1)) != 0);
}

// The first round, over numbers: what lies above the bin of the k-th is chosen, what lies in it stays open. A count of
// 0 where numbers do not do: infinities in the range, NaN at the top of the order, fewer than k in the range.
template <typename Team, typename Row>
KEYSIEVE_DEVICE FoundBin count_numbers(const Block& block, const Team& team, const Row& row, ColumnMask live,
                                       std::int32_t num_live, ColumnMask& chosen, ColumnMask& open) {
  using Format = typename Row::Format;
  const FoundBin nothing{0, 0, 0};
  if (block.nan_is_highest) {
    const ColumnMask nans = live & row.columns_where([](auto bits) { return is_nan<Format>(bits); });
    if (team.sum(2, simt::sync_block_or(nans != 0) ? 1 : 0).total != 0) return nothing;
  }
  const KeyRange range = team.range(0, promising_range(row, block.k, num_live));
  if (range.lowest <= kKeyNegativeInfinity<Float32Bits> || range.highest >= number_key<Float32Bits>(0x7F800000u) ||
      range.lowest >= range.highest) {
    return nothing;
  }
  NumberBins bins(number_of_key(range.lowest), number_of_key(range.highest));
  if (!bins.is_usable()) return nothing;
  KEYSIEVE_UNROLL
  for (int part = 0; part < Row::kColumns; part += kPartColumns) {
    if (!lives_in_warp(live, part)) continue;
    KEYSIEVE_UNROLL
    for (int i = part; i < part + kPartColumns; ++i) {
      // What is in no bin is counted behind the last one: a branch around each atomic would take three times as long.
      const std::uint32_t bin = NumberBins::bin(bins.place(row.value(i)));
      simt::atomic_add(&block.bins[bin < kSelectBins ? bin : kSelectBins], 1);
    }
  }
  const FoundBin found = team.find_bin(static_cast<std::uint32_t>(block.k));
  if (found.count == 0) return nothing;
  const float place = NumberBins::place_of(found.bin);
  if constexpr (Row::kColumns > 16) bins.forget_places();
  ColumnMask in_bin_or_above = 0;
  KEYSIEVE_UNROLL
  for (int part = 0; part < Row::kColumns; part += kPartColumns) {
    if (!lives_in_warp(live, part)) continue;
    // Signs of differences, a subtraction and a shift a column each. Places are whole numbers.
    ColumnMask above = 0;
    ColumnMask at_least = 0;
    KEYSIEVE_UNROLL
    for (int i = part + kPartColumns - 1; i >= part; --i) {
      const float mine = bins.place(row.value(i));
      above = simt::shift_in_sign(above, place - mine);
      at_least = simt::shift_in_sign(at_least, (place - 1) - mine);
    }
    chosen |= above << part;
    in_bin_or_above |= at_least << part;
  }
  open = in_bin_or_above & ~chosen;
  return found;
}

// The `count` lowest ones of `mask`, or all, or none where `count` is below 1. Hardly any thread has some and not all.
KEYSIEVE_DEVICE ColumnMask first_ones(ColumnMask mask, std::int32_t count) {
  if (count <= 0) return 0;
  KEYSIEVE_NO_UNROLL
  while (simt::count_ones(mask) > count) mask ^= 1u << simt::highest_bit(mask);
  return mask;
}

// The range of the numbers of the columns `open`; NaN counts as none.
template <typename Row>
KEYSIEVE_DEVICE KeyRange range_of_numbers(const Row& row, ColumnMask open) {
  const float none = simt::float_from_bits(0x7FC00000u);
  float lowest = none;
  float highest = none;
  KEYSIEVE_UNROLL
  for (int i = 0; i < Row::kColumns; ++i) {
    const float value = (open >> i & 1) != 0 ? row.value(i) : none;
    lowest = simt::min_number(lowest, value);
    highest = simt::max_number(highest, value);
  }
  KeyRange range;
  if (highest == highest) {
    range = {number_key<Float32Bits>(simt::bits_from_float(lowest)),
             number_key<Float32Bits>(simt::bits_from_float(highest))};
  }
  return range;
}

// The `wanted` first of the columns `open`, which share one key, as ties go. `partials`: one a warp, of no earlier and
// no later use without a barrier in between.
template <typename Row, typename Team>
KEYSIEVE_DEVICE ColumnMask first_of(const Block& block, const Team& team, std::uint32_t* partials, ColumnMask open,
                                    std::uint32_t wanted) {
  const RowPlaces<Row> places(partials, open);
  const TeamSum all = team.sum(0, places.total());
  // Larger positions first: the last ones.
  const std::uint32_t begin = (block.ties.flip != 0 ? 0 : all.total - wanted) - all.before;
  ColumnMask taken = 0;
  KEYSIEVE_UNROLL
  for (int v = 0; v < Row::kVectors; ++v) {
    const ColumnMask columns = RowPlaces<Row>::columns_of(open, v);
    const auto first = static_cast<std::int32_t>(places.first(v) - begin);  // below 0: in front of the taken ones
    const ColumnMask some =
        first_ones(columns, static_cast<std::int32_t>(wanted) - first) & ~first_ones(columns, -first);
    taken |= some << (v * Row::kVectorColumnCount);
  }
  return taken;
}

// Further rounds, over keys, until what is open is few, or decided by position: false then.
template <typename Team, typename Row>
KEYSIEVE_DEVICE bool count_keys(const Block& block, const Team& team, const Row& row, FoundBin found,
                                ColumnMask& chosen, ColumnMask& open, std::uint32_t& wanted) {
  KEYSIEVE_NO_UNROLL
  while (found.count == 0 || found.count > static_cast<std::uint32_t>(kMaxBoundary)) {
    KeyRange mine;
    KEYSIEVE_UNROLL
    for (int i = 0; i < Row::kColumns; ++i) {
      if ((open >> i & 1) != 0) mine.add(key_of_column(block, row, i));
    }
    block.clear_bins();
    const KeyRange range = team.range(1, mine);
    if (range.lowest == range.highest) {
      chosen |= first_of<Row>(block, team, block.early_partials(0), open, wanted);
      return false;
    }
    const Bins bins(range.lowest, range.highest);
    KEYSIEVE_UNROLL
    for (int i = 0; i < Row::kColumns; ++i) {
      if ((open >> i & 1) != 0) simt::atomic_add(&block.bins[bins.bin(key_of_column(block, row, i))], 1);
    }
    found = team.find_bin(wanted);
    wanted -= found.above;
    KEYSIEVE_UNROLL
    for (int i = 0; i < Row::kColumns; ++i) {
      if ((open >> i & 1) == 0) continue;
      const std::uint32_t bin = bins.bin(key_of_column(block, row, i));
      if (bin > found.bin) chosen |= 1u << i;
      if (bin != found.bin) open &= ~(1u << i);
    }
  }
  return true;
}

// All threads: which columns belong to the k best of the row, of more than k that live. Those of which some are wanted
// still lie at their block's boundary behind the next barrier; the first bins are zero then, one a thread.
template <typename Team, typename Row>
KEYSIEVE_DEVICE Decision decide(const Block& block, const Team& team, const Row& row, ColumnMask live,
                                std::int32_t num_live) {
  ColumnMask chosen = 0;
  ColumnMask open = live;
  auto wanted = static_cast<std::uint32_t>(block.k);
  const FoundBin found = count_numbers(block, team, row, live, num_live, chosen, open);
  wanted -= found.above;
  const bool is_crowded = found.count > static_cast<std::uint32_t>(kMaxBoundary);
  if (is_crowded) {  // a plateau, nearly always: told in a third of the instructions that keys take
    const KeyRange range = team.range(0, range_of_numbers(row, open));
    if (range.lowest == range.highest) {
      return {chosen | first_of<Row>(block, team, block.early_partials(2), open, wanted), 0};
    }
  }
  if (is_crowded || found.count == 0) {
    if (!count_keys(block, team, row, found, chosen, open, wanted)) return {chosen, 0};
  }
  block.bins[simt::thread_index()] = 0;
  KEYSIEVE_UNROLL
  for (int v = 0; v < Row::kVectors; ++v) {
    if (!simt::warp_any(RowPlaces<Row>::columns_of(open, v) != 0)) continue;
    KEYSIEVE_UNROLL
    for (int c = 0; c < Row::kVectorColumnCount; ++c) {
      const int i = v * Row::kVectorColumnCount + c;
      if ((open >> i & 1) == 0) continue;
      put_at_boundary(block, make_composite(key_of_column(block, row, i), block.ties.rank(row.position(i))));
    }
  }
  return {chosen, wanted};
}

// Columns at the boundary, behind a barrier: each of the `wanted` best is given to `take(larger, position)` in one
// thread, the `larger`-th largest of them. All threads; a warp ranks one at a time, the last warps first: they have the
// least to do where the row is shorter than its place.
template <typename Take>
KEYSIEVE_DEVICE void rank_boundary(const Block& block, std::uint32_t wanted, const Take& take) {
  const auto count = static_cast<std::int32_t>(block.state->num_boundary);
  const int lane = simt::lane_index();
  KEYSIEVE_NO_UNROLL
  for (std::int32_t i = simt::block_warps() - 1 - simt::warp_index(); i < count; i += simt::block_warps()) {
    const Composite mine = block.boundary[i];
    std::uint32_t larger = 0;
    KEYSIEVE_NO_UNROLL
    for (std::int32_t first = 0; first < count; first += simt::kWarpLanes) {
      const std::int32_t j = first + lane;
      larger += static_cast<std::uint32_t>(simt::count_ones(simt::warp_ballot(j < count && block.boundary[j] > mine)));
    }
    if (lane == 0 && larger < wanted) take(larger, block.ties.position(rank_of(mine)));
  }
}

}  // namespace keysieve

#include "cases/oracle.hpp"

#include <algorithm>
#include <limits>

#include "cases/float_formats.hpp"
#include "cases/windows.hpp"

namespace keysieve::cases {
namespace {

constexpr std::int64_t kRankInfinity = 0x7F800000;
constexpr std::int64_t kRankNan = std::int64_t{1} << 33;

std::uint32_t as_float(ScoreType type, std::uint32_t bits) {
  switch (type) {
    case ScoreType::kBFloat16:
      return float_from_bfloat16(static_cast<std::uint16_t>(bits));
    case ScoreType::kFloat16:
      return float_from_float16(static_cast<std::uint16_t>(bits));
    case ScoreType::kFloat32:
      break;
  }
  return bits;
}

struct Ranked {
  std::int64_t rank;
  std::int64_t position;
};

}  // namespace

// Sign and magnitude read as one integer: the two zeros meet at 0 and the infinities end the range.
std::int64_t score_rank(ScoreType type, NanPolicy policy, std::uint32_t bits) {
  const std::uint32_t wide = as_float(type, bits);
  const std::int64_t magnitude = wide & 0x7FFFFFFFu;
  if (magnitude > kRankInfinity) return policy == NanPolicy::kHighest ? kRankNan : -kRankNan;
  return (wide >> 31) != 0 ? -magnitude : magnitude;
}

std::vector<std::int64_t> expected_positions(const CaseInputs& inputs, std::int64_t row) {
  const SelectCase& spec = inputs.spec();
  const Window window = window_of(inputs, row);
  std::vector<Ranked> ranked;
  ranked.reserve(static_cast<std::size_t>(window.n));
  for (std::int64_t i = 0; i < window.n; ++i) {
    const std::int64_t rank = score_rank(spec.score_type, spec.nan_policy, inputs.score(row, window.start + i));
    const bool absent = rank == -kRankInfinity || rank == kRankNan || rank == -kRankNan;
    if (!(spec.mask_neg_inf && absent)) ranked.push_back({rank, i});
  }
  const auto m = static_cast<std::ptrdiff_t>(std::min<std::int64_t>(spec.k, static_cast<std::int64_t>(ranked.size())));
  const auto better = [&spec](const Ranked& a, const Ranked& b) {
    if (a.rank != b.rank) return a.rank > b.rank;
    return spec.ties == Ties::kLargest ? a.position > b.position : a.position < b.position;
  };
  std::nth_element(ranked.begin(), ranked.begin() + m, ranked.end(), better);
  ranked.resize(static_cast<std::size_t>(m));
  std::sort(ranked.begin(), ranked.end(), [&spec](const Ranked& a, const Ranked& b) {
    if (spec.order == SlotOrder::kScore && a.rank != b.rank) return a.rank > b.rank;
    return a.position < b.position;
  });
  std::vector<std::int64_t> positions(ranked.size());
  std::transform(ranked.begin(), ranked.end(), positions.begin(), [](const Ranked& r) { return r.position; });
  return positions;
}

void compute_expected(const CaseInputs& inputs, CaseResult& result) {
  const SelectCase& spec = inputs.spec();
  const std::uint32_t padding_value = bits_of_type(spec.score_type, -std::numeric_limits<double>::infinity());
  std::uint32_t errors = 0;
  for (std::int64_t row = 0; row < spec.rows; ++row) {
    const Window window = window_of(inputs, row);
    errors |= window.error_bits;
    if (spec.check_nan) {
      for (std::int64_t i = 0; i < window.n; ++i) {
        const std::uint32_t bits = inputs.score(row, window.start + i);
        if (score_rank(spec.score_type, NanPolicy::kHighest, bits) == kRankNan) errors |= kErrorNanSeen;
      }
    }
    const std::vector<std::int64_t> positions = expected_positions(inputs, row);
    if (spec.want_counts) result.set_count(row, static_cast<std::int32_t>(positions.size()));
    for (std::int64_t slot = 0; slot < spec.k; ++slot) {
      const bool filled = slot < static_cast<std::int64_t>(positions.size());
      const std::int64_t position = filled ? positions[static_cast<std::size_t>(slot)] : -1;
      result.set_index(row, slot, filled ? slot_of(inputs, row, position, errors) : -1);
      if (spec.mode == IndexMode::kDual) result.set_raw_index(row, slot, position);
      if (spec.want_values) {
        result.set_value(row, slot, filled ? inputs.score(row, window.start + position) : padding_value);
      }
    }
  }
  if (spec.want_error_word) result.or_error_word(errors);
}

}  // namespace keysieve::cases

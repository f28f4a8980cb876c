#include "cases/hints.hpp"

#include <limits>

#include "cases/oracle.hpp"
#include "cases/windows.hpp"

namespace keysieve::cases {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::uint32_t sign_of(ScoreType type) { return type == ScoreType::kFloat32 ? 0x80000000u : 0x8000u; }

std::uint32_t one_exponent_more(ScoreType type, std::uint32_t bits) {
  if (type == ScoreType::kFloat32) return bits + 0x00800000u;
  return (bits + (type == ScoreType::kBFloat16 ? 0x80u : 0x400u)) & 0xFFFFu;
}

}  // namespace

std::uint32_t kth_score(const CaseInputs& inputs, std::int64_t row) {
  const SelectCase& spec = inputs.spec();
  const std::int64_t start = window_of(inputs, row).start;
  std::uint32_t worst = bits_of_type(spec.score_type, -kInfinite);
  std::int64_t worst_rank = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t position : expected_positions(inputs, row)) {
    const std::uint32_t bits = inputs.score(row, start + position);
    const std::int64_t rank = score_rank(spec.score_type, spec.nan_policy, bits);
    if (rank >= worst_rank) continue;
    worst_rank = rank;
    worst = bits;
  }
  return worst;
}

std::uint32_t hint_bits(const CaseInputs& inputs, HintKind kind, std::int64_t row) {
  const ScoreType type = inputs.spec().score_type;
  const std::uint32_t sign = sign_of(type), infinity = bits_of_type(type, kInfinite);
  switch (kind) {
    case HintKind::kExact:
      return kth_score(inputs, row);
    case HintKind::kNextAbove: {
      const std::uint32_t exact = kth_score(inputs, row);
      if ((exact & ~sign) == 0) return 1;  // above either zero
      return (exact & sign) != 0 ? exact - 1 : exact + 1;
    }
    case HintKind::kTwiceAsHigh:
      return one_exponent_more(type, kth_score(inputs, row));
    case HintKind::kHighest:
      return infinity - 1;
    case HintKind::kInfinity:
      return infinity;
    case HintKind::kNan:
      return infinity + 1;
    case HintKind::kNegativeNan:
      return sign | (infinity + 1);
    case HintKind::kLowest:
      return sign | (infinity - 1);
    case HintKind::kNegativeInfinity:
      return sign | infinity;
    case HintKind::kMixed:
      return hint_bits(inputs, static_cast<HintKind>(1 + row % 10), row);
    case HintKind::kNone:
    case HintKind::kZero:
      break;
  }
  return 0;
}

}  // namespace keysieve::cases

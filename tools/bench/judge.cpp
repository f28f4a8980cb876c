#include "judge.hpp"

#include <algorithm>
#include <functional>

namespace keysieve::bench {
namespace {

// Unsigned and monotone in the score. Word is the bit pattern of the type, infinity that of its +inf.
template <typename Word>
std::uint32_t rank_of(Word bits, Word infinity) {
  constexpr Word kSign = static_cast<Word>(Word{1} << (sizeof(Word) * 8 - 1));
  const auto magnitude = static_cast<Word>(bits & static_cast<Word>(~kSign));
  if (magnitude > infinity) return 0;  // NaN
  // Signed zeros meet in the middle.
  return (bits & kSign) != 0 ? std::uint32_t{kSign} - magnitude : std::uint32_t{kSign} + magnitude;
}

template <typename Word>
std::vector<std::uint64_t> composites(const Word* scores, std::int64_t length, Word infinity) {
  std::vector<std::uint64_t> result(static_cast<std::size_t>(length));
  for (std::size_t i = 0; i < result.size(); ++i) {
    // Larger is better: the score first, then the smaller column.
    result[i] = std::uint64_t{rank_of(scores[i], infinity)} << 32 | (0xFFFFFFFFu - static_cast<std::uint32_t>(i));
  }
  return result;
}

std::string mismatch(std::size_t slot, std::int32_t expected, std::int32_t got) {
  return "slot " + std::to_string(slot) + ": expected " + std::to_string(expected) + ", got " + std::to_string(got);
}

}  // namespace

std::vector<std::int32_t> best_columns(const void* scores, ScoreType type, std::int64_t length, std::int64_t k) {
  std::vector<std::uint64_t> keys;
  switch (type) {
    case ScoreType::kFloat32:
      keys = composites<std::uint32_t>(static_cast<const std::uint32_t*>(scores), length, 0x7F800000u);
      break;
    case ScoreType::kBFloat16:
      keys = composites<std::uint16_t>(static_cast<const std::uint16_t*>(scores), length, 0x7F80u);
      break;
    case ScoreType::kFloat16:
      keys = composites<std::uint16_t>(static_cast<const std::uint16_t*>(scores), length, 0x7C00u);
      break;
  }
  const auto count = static_cast<std::ptrdiff_t>(std::min(k, length));
  if (count < length) std::nth_element(keys.begin(), keys.begin() + count, keys.end(), std::greater<>());
  std::sort(keys.begin(), keys.begin() + count, std::greater<>());
  std::vector<std::int32_t> columns(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i] = static_cast<std::int32_t>(0xFFFFFFFFu - static_cast<std::uint32_t>(keys[i]));
  }
  return columns;
}

std::string row_fault(std::span<const std::int32_t> slots, std::span<const std::int32_t> best, SlotOrder order) {
  if (best.size() > slots.size()) return "fewer slots than columns to choose";
  std::vector<std::int32_t> expected(best.begin(), best.end());
  std::vector<std::int32_t> got(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(best.size()));
  if (order != SlotOrder::kScore) std::sort(expected.begin(), expected.end());
  if (order == SlotOrder::kAny) std::sort(got.begin(), got.end());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (got[i] != expected[i]) {
      return (order == SlotOrder::kAny ? "sorted " : "") + mismatch(i, expected[i], got[i]);
    }
  }
  for (std::size_t i = best.size(); i < slots.size(); ++i) {
    if (slots[i] != -1) return mismatch(i, -1, slots[i]);
  }
  return "";
}

}  // namespace keysieve::bench

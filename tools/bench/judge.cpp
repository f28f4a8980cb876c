#include "bench/judge.hpp"

#include <algorithm>
#include <functional>

namespace keysieve::bench {
namespace {

constexpr std::uint32_t kInfinity32 = 0x7F800000u;

constexpr std::uint16_t infinity16(ScoreType type) { return type == ScoreType::kBFloat16 ? 0x7F80u : 0x7C00u; }

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

std::vector<std::uint32_t> ranks_of(std::span<const std::int32_t> columns, const void* scores, ScoreType type) {
  std::vector<std::uint32_t> ranks;
  for (const std::int32_t column : columns) {
    if (type == ScoreType::kFloat32) {
      ranks.push_back(rank_of<std::uint32_t>(static_cast<const std::uint32_t*>(scores)[column], kInfinity32));
    } else {
      ranks.push_back(rank_of<std::uint16_t>(static_cast<const std::uint16_t*>(scores)[column], infinity16(type)));
    }
  }
  return ranks;
}

std::string mismatch(std::size_t slot, std::int32_t expected, std::int32_t got) {
  return "slot " + std::to_string(slot) + ": expected " + std::to_string(expected) + ", got " + std::to_string(got);
}

}  // namespace

std::vector<std::int32_t> best_columns(const void* scores, ScoreType type, std::int64_t length, std::int64_t k) {
  std::vector<std::uint64_t> keys;
  if (type == ScoreType::kFloat32) {
    keys = composites<std::uint32_t>(static_cast<const std::uint32_t*>(scores), length, kInfinity32);
  } else {
    keys = composites<std::uint16_t>(static_cast<const std::uint16_t*>(scores), length, infinity16(type));
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

std::string multiset_fault(std::span<const std::int32_t> slots, std::span<const std::int32_t> best, const void* scores,
                           ScoreType type, std::int64_t length) {
  if (best.size() > slots.size()) return "fewer slots than columns to choose";
  std::vector<std::int32_t> columns(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(best.size()));
  std::sort(columns.begin(), columns.end());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] < 0 || columns[i] >= length) {
      return "expected columns below " + std::to_string(length) + ", got " + std::to_string(columns[i]);
    }
    if (i > 0 && columns[i] == columns[i - 1]) return "column " + std::to_string(columns[i]) + " is there twice";
  }
  for (std::size_t i = best.size(); i < slots.size(); ++i) {
    if (slots[i] != -1) return mismatch(i, -1, slots[i]);
  }
  std::vector<std::uint32_t> got = ranks_of(columns, scores, type);
  std::sort(got.begin(), got.end(), std::greater<>());
  const std::vector<std::uint32_t> expected = ranks_of(best, scores, type);
  const auto [expected_end, got_end] = std::mismatch(expected.begin(), expected.end(), got.begin());
  if (expected_end == expected.end()) return "";
  return "the score of place " + std::to_string(got_end - got.begin()) + " is not the largest one left";
}

bool holds_nan(const void* scores, ScoreType type, std::int64_t length) {
  for (std::int64_t i = 0; i < length; ++i) {
    const bool nan = type == ScoreType::kFloat32
                         ? rank_of<std::uint32_t>(static_cast<const std::uint32_t*>(scores)[i], kInfinity32) == 0
                         : rank_of<std::uint16_t>(static_cast<const std::uint16_t*>(scores)[i], infinity16(type)) == 0;
    if (nan) return true;
  }
  return false;
}

}  // namespace keysieve::bench

#include "cli/select_check.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <vector>

namespace keysieve::cli {

namespace {

// All that a run says about one slot.
struct Slot {
  std::int64_t raw = -1;
  std::int64_t index = -1;
  std::uint32_t value = 0;

  auto key() const { return std::tuple(raw, index, value); }
};

std::int64_t read_index(const std::vector<std::byte>& buffer, std::size_t at, IndexType type) {
  if (type == IndexType::kInt64) {
    std::int64_t value = 0;
    std::memcpy(&value, buffer.data() + at * 8, 8);
    return value;
  }
  std::int32_t value = 0;
  std::memcpy(&value, buffer.data() + at * 4, 4);
  return value;
}

std::uint32_t read_bits(const std::byte* data, std::int64_t at, ScoreType type) {
  if (type == ScoreType::kFloat32) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, data + at * 4, 4);
    return bits;
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, data + at * 2, 2);
  return bits;
}

// Bits that are equal exactly where the contract calls two scores equal.
std::uint32_t canonical(std::uint32_t bits, ScoreType type) {
  const bool wide = type == ScoreType::kFloat32;
  const std::uint32_t sign = wide ? 0x80000000u : 0x8000u;
  const std::uint32_t infinity = wide ? 0x7f800000u : type == ScoreType::kBFloat16 ? 0x7f80u : 0x7c00u;
  const std::uint32_t magnitude = bits & ~sign;
  if (magnitude == 0) return 0;
  return magnitude > infinity ? infinity | 1u : bits;
}

std::vector<Slot> read_row(const SelectProblem& problem, const Outputs& outputs, std::int64_t row) {
  std::vector<Slot> slots(static_cast<std::size_t>(problem.k));
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::size_t at = static_cast<std::size_t>(row * problem.k) + i;
    slots[i].index = read_index(outputs.indices, at, problem.index_type);
    if (!outputs.raw_indices.empty()) slots[i].raw = read_index(outputs.raw_indices, at, problem.index_type);
    if (!outputs.values.empty()) {
      slots[i].value = read_bits(outputs.values.data(), static_cast<std::int64_t>(at), problem.score_type);
    }
  }
  return slots;
}

// The first difference in words; empty when the rows are the same.
std::string difference(const std::vector<Slot>& got, const std::vector<Slot>& expected) {
  const auto sentence = [](std::size_t slot, const char* output, std::int64_t want, std::int64_t have) {
    return "slot " + std::to_string(slot) + " of " + output + ": expected " + std::to_string(want) + ", found " +
           std::to_string(have);
  };
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i].index != expected[i].index) return sentence(i, "indices", expected[i].index, got[i].index);
    if (got[i].raw != expected[i].raw) return sentence(i, "raw indices", expected[i].raw, got[i].raw);
    if (got[i].value != expected[i].value) return sentence(i, "values (as bits)", expected[i].value, got[i].value);
  }
  return {};
}

// Right under ties "any": the same scores, and positions that hold them.
bool right_up_to_ties(const SelectProblem& problem, const SelectArgs& args, std::int64_t row,
                      const std::vector<Slot>& got, const std::vector<Slot>& expected, std::size_t m) {
  const auto keys = [&](const std::vector<Slot>& slots) {
    std::vector<std::uint32_t> out;
    for (std::size_t i = 0; i < m; ++i) out.push_back(canonical(slots[i].value, problem.score_type));
    if (problem.order != SlotOrder::kScore) std::sort(out.begin(), out.end());
    return out;
  };
  if (keys(got) != keys(expected)) return false;
  for (std::size_t i = m; i < got.size(); ++i) {
    if (got[i].key() != expected[i].key()) return false;
  }
  if (problem.mode == IndexMode::kPaged) return true;

  const auto* scores = static_cast<const std::byte*>(args.scores);
  const std::int64_t start = args.row_starts != nullptr ? args.row_starts[row] : 0;
  const std::int64_t available = problem.width - start;
  const std::int64_t n =
      args.lengths != nullptr ? std::clamp<std::int64_t>(args.lengths[row], 0, available) : available;
  std::vector<std::int64_t> positions;
  for (std::size_t i = 0; i < m; ++i) {
    std::int64_t position = problem.mode == IndexMode::kDual ? got[i].raw : got[i].index;
    if (problem.mode == IndexMode::kOffset) {
      if (position == -1) continue;  // a result past int32
      position -= args.out_offsets[row];
    }
    if (position < 0 || position >= n) return false;
    if (read_bits(scores, row * problem.width + start + position, problem.score_type) != got[i].value) return false;
    positions.push_back(position);
  }
  if (problem.order == SlotOrder::kIndex && !std::is_sorted(positions.begin(), positions.end())) return false;
  std::sort(positions.begin(), positions.end());
  return std::adjacent_find(positions.begin(), positions.end()) == positions.end();
}

std::string compare_row(const SelectProblem& problem, const SelectArgs& args, const Outputs& got,
                        const Outputs& expected, std::int64_t row) {
  const std::int32_t count = expected.counts[static_cast<std::size_t>(row)];
  const std::int32_t found = got.counts[static_cast<std::size_t>(row)];
  if (count != found) return "counts: expected " + std::to_string(count) + ", found " + std::to_string(found);
  std::vector<Slot> have = read_row(problem, got, row);
  std::vector<Slot> want = read_row(problem, expected, row);
  const auto m = static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, problem.k));
  if (problem.order == SlotOrder::kAny) {
    // Only the chosen slots: a pad among them must not be sorted out of sight.
    const auto by_key = [](const Slot& a, const Slot& b) { return a.key() < b.key(); };
    std::sort(have.begin(), have.begin() + static_cast<std::ptrdiff_t>(m), by_key);
    std::sort(want.begin(), want.begin() + static_cast<std::ptrdiff_t>(m), by_key);
  }
  std::string text = difference(have, want);
  if (!text.empty() && problem.ties == Ties::kAny && !got.values.empty() &&
      right_up_to_ties(problem, args, row, have, want, m)) {
    text.clear();
  }
  return text;
}

bool same_bytes(const Outputs& a, const Outputs& b) {
  return a.indices == b.indices && a.raw_indices == b.raw_indices && a.values == b.values && a.counts == b.counts;
}

}  // namespace

void compare_batch(const SelectProblem& problem, const SelectArgs& args, const Outputs& got, const Outputs& expected,
                   std::int64_t first_row, CheckReport& report) {
  report.rows_checked += problem.rows;
  const bool words_differ = got.error_word != expected.error_word && problem.ties != Ties::kAny;
  if (!words_differ && same_bytes(got, expected)) return;
  const std::int64_t wrong_before = report.rows_wrong;
  for (std::int64_t row = 0; row < problem.rows; ++row) {
    const std::string fault = compare_row(problem, args, got, expected, row);
    if (fault.empty()) continue;
    if (report.rows_wrong++ == 0) {
      report.first_row = first_row + row;
      report.first_fault = fault;
    }
  }
  if (words_differ && report.rows_wrong == wrong_before) {
    // The word belongs to no row; count it once so that the check fails.
    if (report.rows_wrong++ == 0) {
      report.first_row = first_row;
      report.first_fault = "error word of the batch: expected " + std::to_string(expected.error_word) + ", found " +
                           std::to_string(got.error_word);
    }
  }
}

}  // namespace keysieve::cli

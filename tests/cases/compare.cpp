#include "cases/compare.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "cases/oracle.hpp"
#include "cases/windows.hpp"

namespace keysieve::cases {
namespace {

struct Slot {
  std::int64_t index;
  std::int64_t raw;
  std::uint32_t value;

  auto tie() const { return std::tie(index, raw, value); }
  bool operator==(const Slot& other) const { return tie() == other.tie(); }
  bool operator<(const Slot& other) const { return tie() < other.tie(); }
};

class Comparison {
 public:
  Comparison(const CaseInputs& inputs, const CaseResult& expected, const CaseResult& got)
      : inputs_(inputs), spec_(inputs.spec()), expected_(expected), got_(got) {}

  std::string run() const {
    for (std::int64_t row = 0; row < spec_.rows; ++row) {
      if (std::string fault = compare_row(row); !fault.empty()) return fault;
    }
    if (!spec_.want_error_word) return {};
    std::uint32_t ignored = 0;
    if (spec_.ties == Ties::kAny) ignored = kErrorBadPage | kErrorIndexOverflow;
    if ((expected_.error_word() | ignored) != (got_.error_word() | ignored)) {
      return at("error word", expected_.error_word(), got_.error_word());
    }
    return {};
  }

  std::int64_t count_wrong_rows() const {
    std::int64_t count = 0;
    for (std::int64_t row = 0; row < spec_.rows; ++row) count += compare_row(row).empty() ? 0 : 1;
    return count;
  }

 private:
  std::string at(const std::string& where, std::int64_t expected, std::int64_t got) const {
    return spec_.name + ", " + where + ": expected " + std::to_string(expected) + ", got " + std::to_string(got);
  }

  std::string difference(const std::string& where, std::int64_t slot, const Slot& expected, const Slot& got) const {
    return spec_.name + ", " + where + ", slot " + std::to_string(slot) + ": expected " + text(expected) + ", got " +
           text(got);
  }

  Slot read(const CaseResult& result, std::int64_t row, std::int64_t slot) const {
    return {result.index(row, slot), spec_.mode == IndexMode::kDual ? result.raw_index(row, slot) : 0,
            spec_.want_values ? result.value(row, slot) : 0};
  }

  std::string text(const Slot& slot) const {
    std::string result = std::to_string(slot.index);
    if (spec_.mode == IndexMode::kDual) result += " raw " + std::to_string(slot.raw);
    if (spec_.want_values) result += " value " + score_text(spec_.score_type, slot.value);
    return result;
  }

  std::string compare_row(std::int64_t row) const {
    const std::string where = "row " + std::to_string(row);
    if (spec_.want_counts && expected_.count(row) != got_.count(row)) {
      return at(where + ", count", expected_.count(row), got_.count(row));
    }
    const bool any_order = spec_.order == SlotOrder::kAny, any_ties = spec_.ties == Ties::kAny;
    if (!any_order && !any_ties) {
      for (std::int64_t slot = 0; slot < spec_.k; ++slot) {
        const Slot wanted = read(expected_, row, slot), given = read(got_, row, slot);
        if (!(wanted == given)) return difference(where, slot, wanted, given);
      }
      return {};
    }
    std::vector<Slot> expected, got;
    expected.reserve(static_cast<std::size_t>(spec_.k));
    got.reserve(static_cast<std::size_t>(spec_.k));
    for (std::int64_t slot = 0; slot < spec_.k; ++slot) {
      expected.push_back(read(expected_, row, slot));
      got.push_back(read(got_, row, slot));
    }
    const auto m = static_cast<std::ptrdiff_t>(expected_positions(inputs_, row).size());
    if (any_ties) {
      if (std::string fault = check_free_ties(row, m, expected, got); !fault.empty()) {
        return spec_.name + ", " + where + ": " + fault;
      }
      expected.erase(expected.begin(), expected.begin() + m);
      got.erase(got.begin(), got.begin() + m);
    } else if (any_order) {
      std::sort(expected.begin(), expected.begin() + m);
      std::sort(got.begin(), got.begin() + m);
    }
    for (std::size_t slot = 0; slot < expected.size(); ++slot) {
      if (expected[slot] == got[slot]) continue;
      return difference(where + ", sorted", static_cast<std::int64_t>(slot), expected[slot], got[slot]);
    }
    return {};
  }

  std::int64_t position_of(std::int64_t row, const Slot& slot) const {
    switch (spec_.mode) {
      case IndexMode::kRaw:
        return slot.index;
      case IndexMode::kDual:
        return slot.raw;
      case IndexMode::kOffset:
        return slot.index - inputs_.args().out_offsets[row];
      case IndexMode::kPaged:
        break;
    }
    throw std::invalid_argument(spec_.name + ": ties any: expected a mode that shows positions, got paged");
  }

  std::string check_free_ties(std::int64_t row, std::ptrdiff_t m, const std::vector<Slot>& expected,
                              const std::vector<Slot>& got) const {
    const Window window = window_of(inputs_, row);
    const auto rank_at = [&](std::int64_t position) {
      return score_rank(spec_.score_type, spec_.nan_policy, inputs_.score(row, window.start + position));
    };
    std::vector<std::int64_t> positions, expected_ranks, got_ranks;
    for (std::ptrdiff_t i = 0; i < m; ++i) {
      const Slot& slot = got[static_cast<std::size_t>(i)];
      const std::int64_t position = position_of(row, slot);
      const std::string where = "slot " + std::to_string(i) + ": ";
      if (position < 0 || position >= window.n)
        return where + "position " + std::to_string(position) + " outside the row";
      std::uint32_t errors = 0;
      if (slot.index != slot_of(inputs_, row, position, errors)) return where + "the slot is not that of its position";
      if (spec_.want_values && slot.value != inputs_.score(row, window.start + position)) {
        return where + "the value is not that of its position";
      }
      positions.push_back(position);
      got_ranks.push_back(rank_at(position));
      expected_ranks.push_back(rank_at(position_of(row, expected[static_cast<std::size_t>(i)])));
      if (i == 0) continue;
      const std::size_t last = positions.size() - 1;
      const bool ascending = positions[last - 1] < positions[last];
      if (spec_.order == SlotOrder::kIndex && !ascending) return where + "positions not ascending";
      if (spec_.order == SlotOrder::kScore &&
          !(got_ranks[last - 1] > got_ranks[last] || (got_ranks[last - 1] == got_ranks[last] && ascending))) {
        return where + "scores not descending";
      }
    }
    std::sort(positions.begin(), positions.end());
    if (std::adjacent_find(positions.begin(), positions.end()) != positions.end()) return "a position was chosen twice";
    std::sort(got_ranks.begin(), got_ranks.end());
    std::sort(expected_ranks.begin(), expected_ranks.end());
    return got_ranks == expected_ranks ? "" : "a better score was left out";
  }

  const CaseInputs& inputs_;
  const SelectCase& spec_;
  const CaseResult& expected_;
  const CaseResult& got_;
};

}  // namespace

std::string compare(const CaseInputs& inputs, const CaseResult& expected, const CaseResult& got) {
  return Comparison(inputs, expected, got).run();
}

std::int64_t count_wrong_rows(const CaseInputs& inputs, const CaseResult& expected, const CaseResult& got) {
  return Comparison(inputs, expected, got).count_wrong_rows();
}

}  // namespace keysieve::cases

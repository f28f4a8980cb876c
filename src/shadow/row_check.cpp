#include "shadow/row_check.hpp"

#include <algorithm>
#include <compare>
#include <cstring>
#include <iterator>
#include <vector>

#include "reference/select_reference.hpp"
#include "reference/transform_reference.hpp"

namespace keysieve::shadow {
namespace {

// All that a call says about one slot; what it does not write is 0 on both sides.
struct Slot {
  std::int64_t index = 0;
  std::int64_t raw = 0;
  std::uint32_t value = 0;

  auto operator<=>(const Slot&) const = default;
};

std::int64_t read_index(const void* array, std::int64_t element, IndexType type) {
  if (type == IndexType::kInt64) {
    std::int64_t value;
    std::memcpy(&value, static_cast<const char*>(array) + element * 8, 8);
    return value;
  }
  std::int32_t value;
  std::memcpy(&value, static_cast<const char*>(array) + element * 4, 4);
  return value;
}

std::uint32_t read_bits(const void* array, std::int64_t element, ScoreType type) {
  if (type == ScoreType::kFloat32) {
    std::uint32_t bits;
    std::memcpy(&bits, static_cast<const char*>(array) + element * 4, 4);
    return bits;
  }
  std::uint16_t bits;
  std::memcpy(&bits, static_cast<const char*>(array) + element * 2, 2);
  return bits;
}

// Equal exactly where the contract calls two scores equal.
std::uint32_t equality_class(std::uint32_t bits, ScoreType type) {
  const bool wide = type == ScoreType::kFloat32;
  const std::uint32_t sign = wide ? 0x80000000u : 0x8000u;
  const std::uint32_t infinity = wide ? 0x7F800000u : type == ScoreType::kBFloat16 ? 0x7F80u : 0x7C00u;
  const std::uint32_t magnitude = bits & ~sign;
  if (magnitude == 0) return 0;
  return magnitude > infinity ? infinity + 1 : bits;
}

// The reference's answer, with every output.
class Answer {
 public:
  Answer(const RowView& view, SlotOrder order) : problem_(view.problem) {
    problem_.order = order;
    const auto k = static_cast<std::size_t>(problem_.k);
    indices_.resize(k * 8);
    raw_.resize(k * 8);
    values_.resize(k * 4);
    SelectArgs args = view.args;
    args.indices = indices_.data();
    args.raw_indices = raw_.data();
    args.values = values_.data();
    args.counts = &count_;
    args.error_word = nullptr;
    reference::select(problem_, args);
  }

  std::int32_t count() const { return count_; }
  std::int64_t position(std::int64_t slot) const { return read_index(raw_.data(), slot, problem_.index_type); }
  std::uint32_t value(std::int64_t slot) const { return read_bits(values_.data(), slot, problem_.score_type); }
  std::int64_t index(std::int64_t slot) const { return read_index(indices_.data(), slot, problem_.index_type); }

 private:
  SelectProblem problem_;
  std::vector<char> indices_, raw_, values_;
  std::int32_t count_ = 0;
};

class Check {
 public:
  explicit Check(const RowView& view)
      : problem_(view.problem),
        args_(view.args),
        any_ties_(problem_.ties == Ties::kAny),
        answer_(view, any_ties_ ? SlotOrder::kScore : problem_.order) {}

  RowFault run() const {
    if (args_.counts != nullptr && *args_.counts != answer_.count()) {
      RowFault fault;
      fault.output = ShadowOutput::kCounts;
      fault.expected = answer_.count();
      fault.got = *args_.counts;
      fault.text = "counts: expected " + std::to_string(fault.expected) + ", got " + std::to_string(fault.got);
      return fault;
    }
    std::vector<Slot> expected, got;
    for (std::int64_t slot = 0; slot < problem_.k; ++slot) {
      expected.push_back(expected_at(slot));
      got.push_back(got_at(slot));
    }
    const auto m = static_cast<std::ptrdiff_t>(answer_.count());
    if (any_ties_) {
      if (RowFault fault = check_free_ties(m, expected, got); fault.output != ShadowOutput::kNone) return fault;
      std::copy(got.begin(), got.begin() + m, expected.begin());  // settled
    } else if (problem_.order == SlotOrder::kAny) {
      std::sort(expected.begin(), expected.begin() + m);
      std::sort(got.begin(), got.begin() + m);
    }
    for (std::size_t slot = 0; slot < expected.size(); ++slot) {
      if (expected[slot] == got[slot]) continue;
      const bool sorted = problem_.order == SlotOrder::kAny && static_cast<std::ptrdiff_t>(slot) < m;
      return difference(static_cast<std::int64_t>(slot), expected[slot], got[slot], sorted ? " (slots sorted)" : "");
    }
    return {};
  }

 private:
  Slot expected_at(std::int64_t slot) const {
    return {answer_.index(slot), args_.raw_indices != nullptr ? answer_.position(slot) : 0,
            args_.values != nullptr ? answer_.value(slot) : 0};
  }

  Slot got_at(std::int64_t slot) const {
    return {read_index(args_.indices, slot, problem_.index_type),
            args_.raw_indices != nullptr ? read_index(args_.raw_indices, slot, problem_.index_type) : 0,
            args_.values != nullptr ? read_bits(args_.values, slot, problem_.score_type) : 0};
  }

  static RowFault difference(std::int64_t slot, const Slot& expected, const Slot& got, const std::string& remark) {
    RowFault fault;
    fault.slot = slot;
    const auto set = [&](ShadowOutput output, const char* name, std::int64_t wanted, std::int64_t given) {
      fault.output = output;
      fault.expected = wanted;
      fault.got = given;
      fault.text = "slot " + std::to_string(slot) + " of " + name + remark + ": expected " + std::to_string(wanted) +
                   ", got " + std::to_string(given);
    };
    if (expected.index != got.index) {
      set(ShadowOutput::kIndices, "indices", expected.index, got.index);
    } else if (expected.raw != got.raw) {
      set(ShadowOutput::kRawIndices, "raw indices", expected.raw, got.raw);
    } else {
      set(ShadowOutput::kValues, "values (as bits)", expected.value, got.value);
    }
    return fault;
  }

  std::int64_t start() const { return args_.row_starts != nullptr ? *args_.row_starts : 0; }

  // Live columns, by the rule of the contract's window; the row is known not to be empty.
  std::int64_t live_columns() const {
    const std::int64_t room = problem_.width - start();
    std::int64_t asked = room;
    if (args_.lengths != nullptr) asked = *args_.lengths;
    if (args_.row_ends != nullptr) asked = std::int64_t{*args_.row_ends} - start();
    return std::clamp<std::int64_t>(asked, 0, room);
  }

  std::uint32_t score(std::int64_t position) const {
    return read_bits(args_.scores, start() + position, problem_.score_type);
  }

  std::uint32_t class_of(std::uint32_t bits) const { return equality_class(bits, problem_.score_type); }

  // What a slot says that holds this position.
  Slot slot_of(std::int64_t position) const {
    std::uint32_t errors = 0;
    std::int64_t index = position;
    if (problem_.mode == IndexMode::kOffset) index = reference::offset_slot(position, *args_.out_offsets);
    if (problem_.mode == IndexMode::kPaged || problem_.mode == IndexMode::kDual) {
      const reference::PageTable table{args_.page_table,         args_.page_table_rows,
                                       args_.page_table_columns, args_.page_table_row_stride,
                                       args_.page_size,          args_.num_pages};
      index = reference::paged_slot(position, table, args_.row_to_table != nullptr ? *args_.row_to_table : 0, errors);
    }
    std::int64_t stored = 0;
    reference::store_index(&stored, 0, problem_.index_type, index, errors);
    return {read_index(&stored, 0, problem_.index_type), args_.raw_indices != nullptr ? position : 0,
            args_.values != nullptr ? score(position) : 0};
  }

  // `expected` comes by descending score, so its last chosen slot has the worst score that may be chosen.
  RowFault check_free_ties(std::ptrdiff_t m, const std::vector<Slot>& expected, const std::vector<Slot>& got) const {
    if (m == 0) return {};
    const std::uint32_t worst = class_of(answer_.value(m - 1));
    const auto first_worst = std::find_if(expected.begin(), expected.begin() + m, [&](const Slot& slot) {
      return class_of(answer_.value(&slot - expected.data())) == worst;
    });
    const std::vector<Slot> better = sorted(expected.begin(), first_worst);
    const std::vector<Slot> chosen = sorted(got.begin(), got.begin() + m);
    if (const std::vector<Slot> missing = without(better, chosen); !missing.empty()) {
      const auto slot = std::find(expected.begin(), first_worst, missing.front()) - expected.begin();
      return difference(slot, missing.front(), other_than(chosen, missing.front()),
                        " (counted by descending score; it must be chosen and is not)");
    }
    std::vector<Slot> equals;
    const std::int64_t n = live_columns();
    for (std::int64_t position = 0; position < n; ++position) {
      if (class_of(score(position)) == worst) equals.push_back(slot_of(position));
    }
    std::sort(equals.begin(), equals.end());
    if (const std::vector<Slot> strangers = without(without(chosen, better), equals); !strangers.empty()) {
      const auto slot = std::find(got.begin(), got.begin() + m, strangers.front()) - got.begin();
      return difference(slot, other_than(equals, strangers.front()), strangers.front(),
                        " (not as good as the worst that may be chosen, or chosen twice)");
    }
    return check_order(m, got);
  }

  template <typename Iterator>
  static std::vector<Slot> sorted(Iterator begin, Iterator end) {
    std::vector<Slot> slots(begin, end);
    std::sort(slots.begin(), slots.end());
    return slots;
  }

  // Multisets, sorted.
  static std::vector<Slot> without(const std::vector<Slot>& from, const std::vector<Slot>& taken) {
    std::vector<Slot> rest;
    std::set_difference(from.begin(), from.end(), taken.begin(), taken.end(), std::back_inserter(rest));
    return rest;
  }

  // To show beside a slot.
  static Slot other_than(const std::vector<Slot>& slots, const Slot& slot) {
    for (const Slot& other : slots) {
      if (!(other == slot)) return other;
    }
    return {-1, -1, 0};
  }

  // Of slots whose set is right.
  RowFault check_order(std::ptrdiff_t m, const std::vector<Slot>& got) const {
    if (problem_.order == SlotOrder::kAny || problem_.mode == IndexMode::kPaged) return {};
    std::vector<std::int64_t> positions;
    for (std::ptrdiff_t slot = 0; slot < m; ++slot) {
      const Slot& each = got[static_cast<std::size_t>(slot)];
      if (problem_.mode == IndexMode::kDual) {
        positions.push_back(each.raw);
      } else if (problem_.mode == IndexMode::kRaw) {
        positions.push_back(each.index);
      } else if (each.index != -1) {  // a result past int32 shows no position
        positions.push_back(each.index - *args_.out_offsets);
      }
    }
    std::vector<std::int64_t> wanted = positions;
    if (problem_.order == SlotOrder::kIndex) {
      std::sort(wanted.begin(), wanted.end());
    } else {
      wanted = by_score(wanted);
    }
    for (std::size_t slot = 0; slot < positions.size(); ++slot) {
      if (positions[slot] == wanted[slot]) continue;
      return difference(static_cast<std::int64_t>(slot), {wanted[slot], 0, 0}, {positions[slot], 0, 0},
                        " (as positions, in the order of the plan)");
    }
    return {};
  }

  // Best first, smaller position first inside equal scores: by the reference itself, on these columns alone.
  std::vector<std::int64_t> by_score(std::vector<std::int64_t> positions) const {
    std::sort(positions.begin(), positions.end());
    const std::int64_t bytes = size_bytes(problem_.score_type);
    std::vector<char> scores(positions.size() * static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < positions.size(); ++i) {
      std::memcpy(scores.data() + static_cast<std::int64_t>(i) * bytes,
                  static_cast<const char*>(args_.scores) + (start() + positions[i]) * bytes,
                  static_cast<std::size_t>(bytes));
    }
    RowView alone;
    alone.problem = problem_;
    alone.problem.mode = IndexMode::kRaw;
    alone.problem.ties = Ties::kSmallest;
    alone.problem.width = static_cast<std::int64_t>(positions.size());
    alone.problem.k = std::max<std::int64_t>(alone.problem.width, 1);
    alone.args.scores = scores.data();
    alone.args.score_row_stride = alone.problem.width;
    const Answer order(alone, SlotOrder::kScore);
    std::vector<std::int64_t> ranked;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      ranked.push_back(positions[static_cast<std::size_t>(order.position(static_cast<std::int64_t>(i)))]);
    }
    return ranked;
  }

  const SelectProblem& problem_;
  const SelectArgs& args_;
  bool any_ties_;
  Answer answer_;
};

}  // namespace

RowFault check_row(const RowView& view) { return Check(view).run(); }

}  // namespace keysieve::shadow

#include "audit/reductions.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cases/windows.hpp"

namespace keysieve::audit {
namespace {

using cases::LengthKind;
using cases::Pattern;
using cases::SelectCase;
using cases::StartKind;

// Lengths and starts as numbers, so that they stay what they are when rows, width and k change.
void write_out_windows(SelectCase& spec) {
  const bool whole = spec.length_kind == LengthKind::kNone || spec.length_kind == LengthKind::kFull;
  const bool at_zero = spec.start_kind == StartKind::kNone || spec.start_kind == StartKind::kZero;
  std::vector<std::int32_t> lengths, starts;
  for (std::int64_t row = 0; row < spec.rows; ++row) {
    lengths.push_back(cases::length_of_kind(spec, row));
    starts.push_back(cases::start_of_kind(spec, row));
  }
  if (!whole) {
    spec.length_kind = LengthKind::kExplicit;
    spec.lengths = std::move(lengths);
  }
  if (!at_zero) {
    spec.start_kind = StartKind::kExplicit;
    spec.starts = std::move(starts);
  }
}

void keep_rows(SelectCase& spec, std::int64_t first, std::int64_t count) {
  write_out_windows(spec);
  const auto cut = [first, count](std::vector<std::int32_t>& list) {
    if (!list.empty()) list = std::vector<std::int32_t>(list.begin() + first, list.begin() + first + count);
  };
  cut(spec.lengths);
  cut(spec.starts);
  spec.pattern.first_row += static_cast<std::uint32_t>(first);
  spec.rows = count;
  spec.next_n = 1;
  spec.length_spacing = 1;
  if (spec.table_layout == cases::TableLayout::kPerRequest) spec.table_layout = cases::TableLayout::kPerRow;
}

void set_width(SelectCase& spec, std::int64_t width) {
  write_out_windows(spec);
  for (std::int32_t& length : spec.lengths) {
    // What reached past the end still does.
    if (length <= spec.width) length = static_cast<std::int32_t>(std::min<std::int64_t>(length, width));
  }
  spec.width = width;
  spec.pattern.parameter = std::min(spec.pattern.parameter, width);
}

// Halves, quarters, ... of what is left, the last step being one: a bisection as long as steps succeed.
std::int64_t step_of(std::int64_t value, std::size_t attempt) { return attempt < 40 ? value >> (attempt + 1) : 0; }

bool drop_cases(Trial& trial, std::size_t attempt) {
  const std::size_t count = trial.cases.size();
  if (count < 2 || attempt >= 2 + count) return false;
  auto& list = trial.cases;
  if (attempt == 0) {
    list.resize(count / 2);
  } else if (attempt == 1) {
    list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count / 2));
  } else {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(attempt - 2));
  }
  return true;
}

bool run_once(Trial& trial, std::size_t attempt) {
  if (attempt > 0 || trial.manner == Manner::kOnce) return false;
  trial.manner = Manner::kOnce;
  return true;
}

bool drop_rows(Trial& trial, std::size_t attempt) {
  const std::int64_t rows = trial.cases.front().rows;
  // The cases of a graph keep one shape; others shrink together, as far as they can.
  const std::int64_t step = step_of(rows, attempt / 2);
  if (step == 0) return false;
  for (SelectCase& spec : trial.cases) {
    if (spec.rows <= step) continue;
    keep_rows(spec, attempt % 2 == 0 ? 0 : step, spec.rows - step);
  }
  return true;
}

bool drop_columns(Trial& trial, std::size_t attempt) {
  std::int64_t widest = 0;
  for (const SelectCase& spec : trial.cases) widest = std::max(widest, spec.width);
  const std::int64_t step = step_of(widest, attempt);
  if (step == 0) return false;
  for (SelectCase& spec : trial.cases) {
    if (spec.width > step) set_width(spec, spec.width - step);
  }
  return true;
}

bool drop_slots(Trial& trial, std::size_t attempt) {
  std::int64_t most = 0;
  for (const SelectCase& spec : trial.cases) most = std::max(most, spec.k);
  const std::int64_t step = step_of(most, attempt);
  if (step == 0) return false;
  for (SelectCase& spec : trial.cases) {
    write_out_windows(spec);
    if (spec.k > step) spec.k -= step;
  }
  return true;
}

bool plainer_pattern(Trial& trial, std::size_t attempt) {
  constexpr Pattern kPlain[] = {Pattern::kConstant, Pattern::kAscending, Pattern::kDescending, Pattern::kUniform,
                                Pattern::kGauss};
  if (attempt >= std::size(kPlain)) return false;
  bool changed = false;
  for (SelectCase& spec : trial.cases) {
    const auto* const place = std::find(std::begin(kPlain), std::end(kPlain), spec.pattern.kind);
    // Only towards the plainest, or the search would never end.
    if (static_cast<std::size_t>(place - std::begin(kPlain)) <= attempt) continue;
    spec.pattern.kind = kPlain[attempt];
    spec.pattern.parameter = 0;
    changed = true;
  }
  return changed;
}

// One option of every case to what it usually is.
template <typename Change>
Reduction usual(Change change) {
  return {[change](Trial& trial, std::size_t attempt) {
    if (attempt > 0) return false;
    bool changed = false;
    for (SelectCase& spec : trial.cases) {
      const SelectCase before = spec;
      change(spec);
      changed = changed || !(spec == before);
    }
    return changed;
  }};
}

Reduction usual_setup(void (*change)(Setup&)) {
  return {[change](Trial& trial, std::size_t attempt) {
    const Setup before = trial.setup;
    change(trial.setup);
    return attempt == 0 && !(trial.setup == before);
  }};
}

std::vector<Reduction> make_reductions() {
  std::vector<Reduction> list = {{drop_cases}, {run_once}, {drop_rows}, {drop_columns}, {drop_slots}};
  list.push_back(usual([](SelectCase& spec) {
    spec.length_kind = LengthKind::kNone;
    spec.lengths.clear();
    spec.as_row_ends = false;
    spec.length_spacing = 1;
  }));
  list.push_back(usual([](SelectCase& spec) {
    spec.start_kind = StartKind::kNone;
    spec.starts.clear();
  }));
  list.push_back(usual([](SelectCase& spec) { spec.as_row_ends = false; }));
  list.push_back(usual([](SelectCase& spec) { spec.length_spacing = 1; }));
  list.push_back(usual([](SelectCase& spec) {
    spec.next_n = 1;
    if (spec.table_layout == cases::TableLayout::kPerRequest) spec.table_layout = cases::TableLayout::kPerRow;
  }));
  list.push_back(usual([](SelectCase& spec) {
    const SelectCase plain;
    spec.mode = plain.mode;
    spec.offset_kind = plain.offset_kind;
    spec.page_size = plain.page_size;
    spec.table_layout = plain.table_layout;
    spec.page_fill = plain.page_fill;
    spec.num_pages_known = spec.narrow_table = false;
    spec.table_padding = 0;
  }));
  list.push_back(usual([](SelectCase& spec) { spec.attack = cases::AttackKind::kNone; }));
  list.push_back(usual([](SelectCase& spec) { spec.hint = cases::HintKind::kNone; }));
  list.push_back({plainer_pattern});
  list.push_back(usual([](SelectCase& spec) { spec.score_type = ScoreType::kFloat32; }));
  list.push_back(usual([](SelectCase& spec) { spec.index_type = IndexType::kInt32; }));
  list.push_back(usual([](SelectCase& spec) { spec.order = SlotOrder::kIndex; }));
  list.push_back(usual([](SelectCase& spec) { spec.ties = Ties::kSmallest; }));
  list.push_back(usual([](SelectCase& spec) { spec.nan_policy = NanPolicy::kLowest; }));
  list.push_back(usual([](SelectCase& spec) { spec.mask_neg_inf = false; }));
  list.push_back(usual([](SelectCase& spec) { spec.check_nan = false; }));
  list.push_back(usual([](SelectCase& spec) { spec.row_padding = 0; }));
  list.push_back(usual([](SelectCase& spec) { spec.misalignment = 0; }));
  list.push_back(usual([](SelectCase& spec) { spec.output_padding = 0; }));
  list.push_back(usual([](SelectCase& spec) { spec.want_values = spec.want_counts = spec.want_error_word = false; }));
  list.push_back(usual([](SelectCase& spec) { spec.pattern.first_row = 0; }));
  list.push_back(usual([](SelectCase& spec) { spec.pattern.parameter = 0; }));
  list.push_back(usual_setup([](Setup& setup) { setup.threads = kAuto; }));
  list.push_back(usual_setup([](Setup& setup) { setup.split = kAuto; }));
  return list;
}

}  // namespace

const std::vector<Reduction>& reductions() {
  static const std::vector<Reduction> list = make_reductions();
  return list;
}

}  // namespace keysieve::audit

#include "bench/plan_cells.hpp"

#include <algorithm>
#include <bit>

#include "bench/sample_positions.hpp"
#include "bench/slots.hpp"
#include "bench/thresholds.hpp"

namespace keysieve::bench {
namespace {

constexpr std::int64_t kOutputSlack = 256;  // the floor rounds a row's outputs up to words

Sizes sizes_of(const Cell& cell, std::int64_t workspace_bytes) {
  Sizes sizes;
  sizes.rows = cell.rows;
  sizes.score_bytes = score_bytes(cell);
  sizes.output_bytes = std::max(output_layout(cell).total_bytes, cell.rows * output_words_per_row(cell) * 4);
  if (cell.hint == Hint::kExact) {
    sizes.output_bytes = std::max(sizes.output_bytes, output_layout(hint_cell(cell)).total_bytes);
  }
  sizes.output_bytes += kOutputSlack;
  sizes.workspace_bytes = workspace_bytes;
  sizes.page_entries = needs_pages(cell) ? cell.rows * page_columns(cell) : 0;
  sizes.cold = cell.mode == Mode::kCold;
  return sizes;
}

void include(Sizes& sizes, const Sizes& more) {
  sizes.rows = std::max(sizes.rows, more.rows);
  sizes.score_bytes = std::max(sizes.score_bytes, more.score_bytes);
  sizes.output_bytes = std::max(sizes.output_bytes, more.output_bytes);
  sizes.workspace_bytes = std::max(sizes.workspace_bytes, more.workspace_bytes);
  sizes.page_entries = std::max(sizes.page_entries, more.page_entries);
  sizes.cold = sizes.cold || more.cold;
}

}  // namespace

int PlannedCell::log2_samples() const {
  if (!depends_on_sample(cell.distribution) || !plan || plan->sample_vectors <= 0) return kDefaultLog2Samples;
  return std::bit_width(static_cast<std::uint32_t>(plan->sample_vectors)) - 1;
}

Cell hint_cell(const Cell& cell) {
  Cell hint = cell;
  hint.order = SlotOrder::kScore;
  hint.output = IndexMode::kRaw;
  hint.values = true;
  hint.hint = Hint::kNone;
  hint.route = Route::kAuto;
  hint.split = hint.threads = kAuto;
  return hint;
}

std::vector<PlannedCell> plan_cells(const std::vector<Cell>& cells, const Runner& runner, bool has_peers,
                                    Report& report, Sizes& sizes) {
  const std::int64_t usable = runner.usable_bytes();
  std::vector<PlannedCell> planned;
  for (const Cell& cell : cells) {
    std::string reason = runner.unmet_conditions(cell);
    SelectPlan plan;
    bool has_plan = false;
    if (reason.empty()) {
      const Status status = try_make_plan(problem_of(cell, runner.backend()), plan);
      has_plan = status.ok();
      if (!has_plan) {
        report.refused.push_back({cell, kKeysieve, status.message()});
        if (!has_peers) continue;
      }
      std::int64_t workspace_bytes = has_plan ? plan.workspace_bytes : 0;
      if (cell.hint == Hint::kExact) {
        SelectPlan hint_plan;
        const Status hint_status = try_make_plan(problem_of(hint_cell(cell), runner.backend()), hint_plan);
        if (!hint_status.ok()) reason = "hint: " + hint_status.message();
        workspace_bytes = std::max(workspace_bytes, hint_plan.workspace_bytes);
      }
      const Sizes needed = sizes_of(cell, workspace_bytes);
      if (needed.total_bytes() > usable) {
        reason = "needs " + std::to_string(needed.total_bytes()) + " bytes of memory, " + std::to_string(usable) +
                 " are usable";
      }
      if (reason.empty()) include(sizes, needed);
    }
    if (!reason.empty()) {
      report.refused.push_back({cell, kKeysieve, reason});
      continue;
    }
    planned.push_back({cell, has_plan ? std::optional(plan) : std::nullopt});
  }
  return planned;
}

Thresholds thresholds_of(Backend backend, const std::string& profile) {
  return [backend, profile](const Cell& shape, std::int64_t most) {
    return threshold_widths(
        [&](std::int64_t width) -> std::optional<PlanShape> {
          Cell cell = shape;
          cell.width = cell.capacity = width;
          SelectPlan plan;
          if (!profile.empty()) {
            plan = make_plan_for_profile(problem_of(cell, backend), profile);
          } else if (!try_make_plan(problem_of(cell, backend), plan).ok()) {
            return std::nullopt;
          }
          return PlanShape{static_cast<std::int32_t>(plan.route), plan.chunks_per_row};
        },
        most);
  };
}

}  // namespace keysieve::bench

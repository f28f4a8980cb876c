// keysieve against recorded times of other implementations, through the floors of both machines.
#include <fmt/format.h>

#include "report/html_table.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace keysieve::report {
namespace {

std::string means_table(const BaselineComparison& comparison) {
  HtmlTable table({{"k"}, {"cells"}, {"over the best"}, {"slower cells"}, {"over the best deterministic"}, {"cells"}},
                  {{"data-table", "baseline"}});
  for (const BaselineMean& mean : comparison.means) {
    table.add({{.text = fmt::format("{}", mean.k)},
               {.text = fmt::format("{}", mean.cells)},
               {.text = format_ratio(mean.to_best)},
               {.text = fmt::format("{}", mean.slower)},
               {.text = format_ratio(mean.to_deterministic)},
               {.text = fmt::format("{}", mean.deterministic_cells)}});
  }
  return table.html();
}

std::string cells_table(const std::vector<BaselineCell>& cells) {
  HtmlTable table({{"rows"},
                   {"width"},
                   {"k"},
                   {"route", false},
                   {"us"},
                   {"x read floor"},
                   {"best", false},
                   {"us there"},
                   {"x read floor there"},
                   {"over the best"},
                   {"over the best deterministic"}});
  for (const BaselineCell& compared : cells) {
    const Cell& cell = *compared.cell;
    table.add({{.text = fmt::format("{}", cell.shape.rows)},
               {.text = fmt::format("{}", cell.shape.width)},
               {.text = fmt::format("{}", cell.shape.k)},
               {.text = route_label(cell)},
               {.text = format_us(cell.median_us)},
               {.text = format_ratio(ratio_to_read_floor(cell))},
               {.text = compared.theirs->best_name},
               {.text = format_us(compared.theirs->best_us)},
               {.text = format_ratio(compared.theirs->best_us / compared.theirs->read_floor_us)},
               {.text = format_ratio(compared.to_best)},
               {.text = format_ratio(compared.to_deterministic)}});
  }
  return table.html();
}

}  // namespace

std::string baseline_section(const Run& run, const Baseline& baseline) {
  std::string html;
  for (const Group& group : run.groups) {
    const BaselineComparison comparison = compare_with(baseline, group);
    if (comparison.cells.empty()) continue;
    html += group_heading(group, kNormal) + means_table(comparison);
    if (!comparison.slower.empty()) {
      html += details(plural(static_cast<std::int64_t>(comparison.slower.size()), "cell slower than the best",
                             "cells slower than the best"),
                      cells_table(comparison.slower));
    }
    html += details(plural(static_cast<std::int64_t>(comparison.cells.size()), "cell compared", "cells compared"),
                    cells_table(comparison.cells));
  }
  if (html.empty()) return "";
  return fmt::format(
             "<p>Against the times of {}: our ratio to the read floor over theirs, geometric means. Below 1 "
             "keysieve is faster. The two were measured on different machines, which is what the floors "
             "even out.</p>\n",
             escape_html(baseline.name())) +
         html;
}

}  // namespace keysieve::report

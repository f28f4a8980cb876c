// What other scores than N(0,1) cost, distribution x shape, one for each k.
#include "report/robustness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/grid_chart.hpp"
#include "report/html_table.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace keysieve::report {
namespace {

template <typename T>
std::size_t index_in(const std::vector<T>& sorted, const T& value) {
  return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
}

std::string heat_map(const Group& group, std::size_t index, const Robustness& robustness, std::int64_t k) {
  std::set<std::string> distribution_set;
  std::set<Shape> shape_set;
  for (const RobustnessCell& entry : robustness.cells) {
    if (entry.cell->shape.k != k) continue;
    distribution_set.insert(entry.cell->distribution);
    shape_set.insert(entry.cell->shape);
  }
  const std::vector<std::string> distributions(distribution_set.begin(), distribution_set.end());
  const std::vector<Shape> shapes(shape_set.begin(), shape_set.end());
  GridChart chart{.label = chart_label("Time over that of N(0,1) by distribution and shape", group, k),
                  .attributes = {{"data-chart", "robustness"},
                                 {"data-group", fmt::format("{}", index)},
                                 {"data-k", fmt::format("{}", k)}},
                  .row_title = "scores",
                  .column_title = fmt::format("k = {}, rows x width", k),
                  .row_labels = distributions};
  for (const Shape& shape : shapes) {
    chart.column_labels.push_back(fmt::format("{} x {}", shape.rows, format_columns(shape.width)));
  }
  for (const RobustnessCell& entry : robustness.cells) {
    if (entry.cell->shape.k != k) continue;
    ChartCell drawn{.row = index_in(distributions, entry.cell->distribution),
                    .column = index_in(shapes, entry.cell->shape)};
    drawn.fill = entry.cell->is_wrong() ? "wrong" : entry.ratio > 0 ? ratio_fill(entry.ratio) : "hole";
    drawn.lines = {entry.cell->is_wrong() ? "wrong" : format_ratio(entry.ratio)};
    drawn.title = fmt::format("{}, {}; N(0,1): {} us", entry.cell->distribution, measurement_title(*entry.cell),
                              format_us(entry.normal->median_us));
    chart.cells.push_back(std::move(drawn));
  }
  return draw(chart);
}

std::string all_numbers(const Robustness& robustness) {
  HtmlTable table({{"scores", false},
                   {"rows"},
                   {"width"},
                   {"k"},
                   {"route", false},
                   {"median us"},
                   {"N(0,1) us"},
                   {"x N(0,1)"},
                   {"second reads"},
                   {"compactions"}});
  for (const RobustnessCell& entry : robustness.cells) {
    const Cell& cell = *entry.cell;
    table.add({{.text = cell.distribution},
               {.text = fmt::format("{}", cell.shape.rows)},
               {.text = fmt::format("{}", cell.shape.width)},
               {.text = fmt::format("{}", cell.shape.k)},
               {.text = route_label(cell)},
               {.text = format_us(cell.median_us)},
               {.text = format_us(entry.normal->median_us)},
               {.text = format_ratio(entry.ratio)},
               {.text = cell.max_second_reads >= 0 ? fmt::format("{:.0f}", cell.max_second_reads) : "-"},
               {.text = format_ratio(cell.mean_compactions)}},
              cell.is_wrong() ? "bad" : "");
  }
  return details("The same as a table", table.html());
}

}  // namespace

std::string robustness_section(const Run& run) {
  std::string html;
  for (std::size_t g = 0; g < run.groups.size(); ++g) {
    const Group& group = run.groups[g];
    const Robustness robustness = make_robustness(group);
    if (robustness.cells.empty()) continue;
    html += group_heading(group, kNormal);
    std::set<std::int64_t> all_k;
    for (const RobustnessCell& entry : robustness.cells) all_k.insert(entry.cell->shape.k);
    html += "<div class=\"charts\">\n";
    for (const std::int64_t k : all_k) html += heat_map(group, g, robustness, k);
    html += "</div>\n" + all_numbers(robustness);
    if (robustness.without_normal > 0) {
      html += fmt::format("<p class=\"note\">{} no N(0,1) of their shape beside them and are left out.</p>\n",
                          plural(static_cast<std::int64_t>(robustness.without_normal), "cell has", "cells have"));
    }
  }
  if (html.empty()) return "";
  return "<p>Time of the automatic choice on other scores, over its time on N(0,1) scores of the same shape and the "
         "same file.</p>\n" +
         ratio_legend("time over N(0,1)") + html;
}

}  // namespace keysieve::report

// Heat maps of the ratio to the floor, rows x width, one for each k.
#include <fmt/format.h>

#include <algorithm>

#include "report/grid.hpp"
#include "report/grid_chart.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace keysieve::report {
namespace {

std::size_t index_of(const std::vector<std::int64_t>& axis, std::int64_t value) {
  return static_cast<std::size_t>(std::lower_bound(axis.begin(), axis.end(), value) - axis.begin());
}

ChartCell chart_cell(const Grid& grid, const Cell& cell) {
  ChartCell drawn{.row = index_of(grid.rows, cell.shape.rows), .column = index_of(grid.widths, cell.shape.width)};
  drawn.title = measurement_title(cell);
  const double ratio = ratio_to_floor(cell);
  if (cell.is_wrong()) {
    drawn.fill = "wrong";
    drawn.lines = {"wrong"};
  } else {
    drawn.fill = ratio > 0 ? ratio_fill(ratio) : "hole";
    drawn.lines = {format_ratio(ratio)};
  }
  return drawn;
}

}  // namespace

std::string floor_section(const Run& run) {
  std::string html;
  for (std::size_t g = 0; g < run.groups.size(); ++g) {
    const Group& group = run.groups[g];
    const std::string distribution = group.main_distribution();
    const std::vector<const Cell*> cells = automatic_cells(group, distribution);
    if (std::none_of(cells.begin(), cells.end(), [](const Cell* cell) { return ratio_to_floor(*cell) > 0; })) continue;
    html += group_heading(group, distribution) + "<div class=\"charts\">\n";
    for (const std::int64_t k : values_of_k(shapes_of(cells))) {
      const Grid grid = make_grid(with_k(shapes_of(cells), k));
      GridChart chart{.label = chart_label("Time over the floor by rows and width", group, k),
                      .attributes = {{"data-chart", "floor"},
                                     {"data-group", fmt::format("{}", g)},
                                     {"data-k", fmt::format("{}", k)}},
                      .row_title = "rows",
                      .column_title = fmt::format("k = {}, width in columns", k)};
      for (const std::int64_t rows : grid.rows) chart.row_labels.push_back(fmt::format("{}", rows));
      for (const std::int64_t width : grid.widths) chart.column_labels.push_back(format_columns(width));
      for (const Cell* cell : cells) {
        if (cell->shape.k == k && grid.has(cell->shape)) chart.cells.push_back(chart_cell(grid, *cell));
      }
      html += "<div>" + draw(chart);
      if (grid.off_axis > 0) {
        html += fmt::format("<p class=\"note\">{} of widths between these columns: see the table of all cells.</p>\n",
                            plural(static_cast<std::int64_t>(grid.off_axis), "cell", "cells"));
      }
      html += "</div>\n";
    }
    html += "</div>\n";
  }
  if (html.empty()) return "";
  return "<p>Median time over the floor of the same run: a kernel that reads each live score once and writes the "
         "outputs once. 1.00 is as fast as memory allows.</p>\n" +
         ratio_legend("time over the floor") + html;
}

}  // namespace keysieve::report

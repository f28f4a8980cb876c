// The speed table: one a k with rows down and widths across, then every cell of keysieve's with all its numbers.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/grid.hpp"
#include "report/html_table.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace keysieve::report {
namespace {

TableCell table_cell(const Cell& cell) {
  const std::string title = measurement_title(cell);
  if (cell.is_wrong()) return {.text = "wrong", .css = "bad", .title = title};
  const std::string ratio = format_ratio(ratio_to_floor(cell));
  return {.text = format_us(cell.median_us) + (cell.is_noisy() ? " ~" : ""),
          .second = ratio == "-" ? "" : ratio + "x",
          .css = cell.is_noisy() ? "noisy" : "",
          .title = title};
}

std::string grid_table(const std::vector<const Cell*>& cells, std::int64_t k) {
  const Grid grid = make_grid(with_k(shapes_of(cells), k));
  std::map<std::pair<std::int64_t, std::int64_t>, const Cell*> at;
  for (const Cell* cell : cells) {
    if (cell->shape.k == k) at[{cell->shape.rows, cell->shape.width}] = cell;
  }
  std::vector<Column> columns = {{"rows"}};
  for (const std::int64_t width : grid.widths) columns.push_back({format_columns(width)});
  HtmlTable table(columns, {{"class", "grid"}});
  for (const std::int64_t rows : grid.rows) {
    std::vector<TableCell> line = {{.text = fmt::format("{}", rows), .css = "head"}};
    for (const std::int64_t width : grid.widths) {
      const auto found = at.find({rows, width});
      line.push_back(found == at.end() ? TableCell{} : table_cell(*found->second));
    }
    table.add(std::move(line));
  }
  return fmt::format("<div><h4>k = {}</h4>\n", k) + table.html() + "</div>\n";
}

std::string asked(const Cell& cell) {
  if (cell.is_automatic()) return "";
  std::string text = cell.route_asked;
  if (cell.split_asked != kAuto) text += fmt::format(", split {}", cell.split_asked);
  if (cell.threads_asked != kAuto) text += fmt::format(", threads {}", cell.threads_asked);
  return text;
}

void add_line(HtmlTable& table, const Cell& cell) {
  table.add({{.text = cell.distribution},
             {.text = fmt::format("{}", cell.shape.rows)},
             {.text = fmt::format("{}", cell.shape.width)},
             {.text = fmt::format("{}", cell.shape.k)},
             {.text = asked(cell)},
             {.text = route_label(cell)},
             {.text = cell.threads > 0 ? fmt::format("{}", cell.threads) : "-"},
             {.text = format_us(cell.median_us)},
             {.text = format_us(cell.p10_us)},
             {.text = format_us(cell.p90_us)},
             {.text = format_us(cell.floor_us)},
             {.text = format_ratio(ratio_to_floor(cell))},
             {.text = format_us(cell.gb_per_s)},
             {.text = format_percent(cell.noise), .css = cell.is_noisy() ? "noisy" : ""},
             {.text = cell.is_wrong() ? fmt::format("{} of {} rows wrong", cell.wrong_rows, cell.checked_rows) : ""}},
            cell.is_wrong() ? "bad" : "");
}

std::string all_cells(const Group& group) {
  HtmlTable table({{"scores", false},
                   {"rows"},
                   {"width"},
                   {"k"},
                   {"asked", false},
                   {"route", false},
                   {"threads"},
                   {"median us"},
                   {"p10"},
                   {"p90"},
                   {"floor us"},
                   {"x floor"},
                   {"GB/s"},
                   {"noise"},
                   {"", false}});
  std::int64_t count = 0;
  for (const auto& [place, contest] : group.places) {
    for (const auto* cells : {&contest.automatic, &contest.forced}) {
      for (const Cell* cell : *cells) {
        add_line(table, *cell);
        ++count;
      }
    }
  }
  return table.empty() ? "" : details(plural(count, "cell, all numbers", "cells, all numbers"), table.html());
}

}  // namespace

std::string speed_section(const Run& run) {
  std::string html;
  for (const Group& group : run.groups) {
    const std::string distribution = group.main_distribution();
    const std::vector<const Cell*> cells = automatic_cells(group, distribution);
    const std::string all = all_cells(group);
    if (all.empty()) continue;
    html += group_heading(group, distribution);
    html += "<div class=\"charts\">\n";
    for (const std::int64_t k : values_of_k(shapes_of(cells))) html += grid_table(cells, k);
    html += "</div>\n" + all;
  }
  if (html.empty()) return "";
  return fmt::format(
             "<p>Median in microseconds; below it the ratio to the floor. <b class=\"noisy\">~</b> marks cells "
             "whose two timings differ by more than {:.0f}%.</p>\n",
             kNoisy * 100) +
         html;
}

}  // namespace keysieve::report

#include "report/grid_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "report/text.hpp"

namespace keysieve::report {
namespace {

constexpr double kGapPx = 2, kHeaderPx = 40, kLinePx = 15;
constexpr std::array kSteps = {1.1, 1.25, 1.5, 2.0, 3.0, 5.0};

struct Layout {
  double left_px = 0, cell_width_px = 52, cell_height_px = 26;
  double x(std::size_t column) const { return left_px + static_cast<double>(column) * (cell_width_px + kGapPx); }
  double y(std::size_t row) const { return kHeaderPx + static_cast<double>(row) * (cell_height_px + kGapPx); }
};

Layout lay_out(const GridChart& chart) {
  Layout layout;
  layout.left_px = text_width_px(chart.row_title);
  for (const std::string& label : chart.row_labels) {
    layout.left_px = std::max(layout.left_px, text_width_px(label));
  }
  layout.left_px += 10;
  std::size_t lines = 1;
  for (const ChartCell& cell : chart.cells) {
    lines = std::max(lines, cell.lines.size());
    for (const std::string& line : cell.lines) {
      // The mark in the corner wants room beside the first line.
      const double mark_px = cell.dot.empty() ? 0 : 18;
      layout.cell_width_px = std::max(layout.cell_width_px, text_width_px(line) + 10 + mark_px);
    }
  }
  for (const std::string& label : chart.column_labels) {
    layout.cell_width_px = std::max(layout.cell_width_px, text_width_px(label) + 6);
  }
  layout.cell_height_px = kLinePx * static_cast<double>(lines) + 11;
  return layout;
}

void draw_cell(Svg& svg, const Layout& layout, const GridChart& chart, const ChartCell& cell) {
  const double x = layout.x(cell.column), y = layout.y(cell.row);
  svg.begin_group(cell.title,
                  {{"data-row", chart.row_labels[cell.row]}, {"data-column", chart.column_labels[cell.column]}});
  svg.rect(x, y, layout.cell_width_px, layout.cell_height_px, cell.fill);
  const double middle = x + layout.cell_width_px / 2;
  double baseline = y + layout.cell_height_px / 2 + 4.5 - kLinePx * static_cast<double>(cell.lines.size() - 1) / 2;
  for (std::size_t i = 0; i < cell.lines.size(); ++i) {
    svg.text(middle, baseline, Anchor::kMiddle, (i == 0 ? "on-" : "second on-") + cell.fill, cell.lines[i]);
    baseline += kLinePx;
  }
  if (!cell.dot.empty()) svg.circle(x + layout.cell_width_px - 8, y + 8, 4.5, "dot " + cell.dot);
  svg.end_group();
}

}  // namespace

std::string draw(const GridChart& chart) {
  const Layout layout = lay_out(chart);
  const double width_px =
      std::max(layout.x(chart.column_labels.size()), layout.left_px + text_width_px(chart.column_title) + 8);
  Svg svg(width_px, layout.y(chart.row_labels.size()) + 4, chart.label, chart.attributes);
  svg.text(layout.left_px, 12, Anchor::kStart, "axis", chart.column_title);
  svg.text(layout.left_px - 8, 32, Anchor::kEnd, "axis", chart.row_title);
  for (std::size_t column = 0; column < chart.column_labels.size(); ++column) {
    svg.text(layout.x(column) + layout.cell_width_px / 2, 32, Anchor::kMiddle, "tick", chart.column_labels[column]);
  }
  std::set<std::pair<std::size_t, std::size_t>> drawn;
  for (const ChartCell& cell : chart.cells) drawn.emplace(cell.row, cell.column);
  for (std::size_t row = 0; row < chart.row_labels.size(); ++row) {
    svg.text(layout.left_px - 8, layout.y(row) + layout.cell_height_px / 2 + 4.5, Anchor::kEnd, "tick",
             chart.row_labels[row]);
    for (std::size_t column = 0; column < chart.column_labels.size(); ++column) {
      if (drawn.contains({row, column})) continue;
      svg.rect(layout.x(column), layout.y(row), layout.cell_width_px, layout.cell_height_px, "hole");
    }
  }
  for (const ChartCell& cell : chart.cells) draw_cell(svg, layout, chart, cell);
  return "<div class=\"scroll\">" + svg.finish() + "</div>\n";
}

std::string legend(const std::string& title, const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string html = fmt::format("<p class=\"legend\"><span>{}</span>", escape_html(title));
  for (const auto& [css, text] : entries) {
    html += fmt::format(
        "<span><svg width=\"14\" height=\"14\" aria-hidden=\"true\"><rect width=\"14\" height=\"14\" "
        "class=\"{}\"/></svg> {}</span>",
        escape_html(css), escape_html(text));
  }
  return html + "</p>\n";
}

std::string ratio_fill(double ratio) {
  const auto step = std::lower_bound(kSteps.begin(), kSteps.end(), ratio) - kSteps.begin();
  return fmt::format("h{}", step);
}

std::string ratio_legend(const std::string& title) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (std::size_t i = 0; i <= kSteps.size(); ++i) {
    entries.emplace_back(fmt::format("h{}", i), i < kSteps.size() ? fmt::format("to {:.4g}x", kSteps[i])
                                                                  : fmt::format("above {:.4g}x", kSteps.back()));
  }
  entries.emplace_back("hole", "not measured");
  return legend(title, entries);
}

}  // namespace keysieve::report

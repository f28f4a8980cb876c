// The crossover envelope between routes, rows x width, one for each k.
#include "report/envelope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "report/grid.hpp"
#include "report/grid_chart.hpp"
#include "report/html_table.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace keysieve::report {
namespace {

// A route keeps its color in every chart, whichever others were measured.
std::string route_fill(const Cell& cell) {
  static constexpr std::array<std::string_view, 7> kRoutes = {"trivial", "tile",     "sieve",     "split",
                                                              "wide",    "cpu_rows", "cpu_chunks"};
  const bool is_known = std::find(kRoutes.begin(), kRoutes.end(), cell.route_taken) != kRoutes.end();
  return "route-" + (is_known ? cell.route_taken : std::string("other"));
}

std::string loss_text(double loss) { return fmt::format("+{:.{}f}%", loss * 100, loss < 0.0995 ? 1 : 0); }

ChartCell chart_cell(const Grid& grid, const EnvelopeCell& cell) {
  const auto index = [](const std::vector<std::int64_t>& axis, std::int64_t value) {
    return static_cast<std::size_t>(std::lower_bound(axis.begin(), axis.end(), value) - axis.begin());
  };
  ChartCell drawn{.row = index(grid.rows, cell.shape.rows), .column = index(grid.widths, cell.shape.width)};
  drawn.fill = route_fill(*cell.fastest);
  drawn.title = "fastest: " + measurement_title(*cell.fastest);
  drawn.lines = {route_label(*cell.fastest), "no auto"};
  if (cell.automatic != nullptr) {
    drawn.lines[1] = cell.automatic == cell.fastest ? "auto" : "auto " + loss_text(cell.loss);
    drawn.dot = route_fill(*cell.automatic);
    drawn.title += "; automatic: " + measurement_title(*cell.automatic);
  }
  return drawn;
}

std::string losses_table(const std::vector<EnvelopeCell>& envelope) {
  std::vector<EnvelopeCell> losses;
  std::vector<double> ratios;
  for (const EnvelopeCell& cell : envelope) {
    if (cell.automatic == nullptr) continue;
    ratios.push_back(1 + cell.loss);
    if (cell.is_loss()) losses.push_back(cell);
  }
  if (ratios.empty()) return "<p>No cell of the automatic choice stands beside these.</p>\n";
  std::string html = fmt::format(
      "<p>The automatic choice takes {:.3f}x the time of the fastest way, geometric mean of {}; it loses more than the "
      "noise in {}.</p>\n",
      geometric_mean(ratios), plural(static_cast<std::int64_t>(ratios.size()), "cell", "cells"), losses.size());
  if (losses.empty()) return html;
  std::stable_sort(losses.begin(), losses.end(),
                   [](const EnvelopeCell& a, const EnvelopeCell& b) { return a.loss > b.loss; });
  HtmlTable table(
      {{"rows"}, {"width"}, {"k"}, {"automatic", false}, {"us"}, {"fastest", false}, {"us"}, {"loss"}, {"noise"}},
      {{"data-table", "losses"}});
  for (const EnvelopeCell& cell : losses) {
    const auto way = [](const Cell& c) {
      return c.threads > 0 ? fmt::format("{}, {} threads", route_label(c), c.threads) : route_label(c);
    };
    table.add({{.text = fmt::format("{}", cell.shape.rows)},
               {.text = fmt::format("{}", cell.shape.width)},
               {.text = fmt::format("{}", cell.shape.k)},
               {.text = way(*cell.automatic)},
               {.text = format_us(cell.automatic->median_us)},
               {.text = way(*cell.fastest)},
               {.text = format_us(cell.fastest->median_us)},
               {.text = loss_text(cell.loss)},
               {.text = format_percent(cell.noise)}});
  }
  return html + table.html();
}

std::string envelope_legend(const std::vector<EnvelopeCell>& envelope) {
  std::set<std::pair<std::string, std::string>> entries;
  for (const EnvelopeCell& cell : envelope) {
    for (const Cell* shown : {cell.fastest, cell.automatic}) {
      if (shown != nullptr) entries.emplace(route_fill(*shown), shown->route_taken);
    }
  }
  return legend("fastest route", {entries.begin(), entries.end()});
}

}  // namespace

std::string envelope_section(const Run& run) {
  std::string html;
  for (std::size_t g = 0; g < run.groups.size(); ++g) {
    const Group& group = run.groups[g];
    std::set<std::string> distributions;
    for (const auto& [place, contest] : group.places) distributions.insert(place.distribution);
    for (const std::string& distribution : distributions) {
      const std::vector<EnvelopeCell> envelope = make_envelope(group, distribution);
      if (envelope.empty()) continue;
      std::vector<Shape> shapes;
      for (const EnvelopeCell& cell : envelope) shapes.push_back(cell.shape);
      html += group_heading(group, distribution) + envelope_legend(envelope) + "<div class=\"charts\">\n";
      for (const std::int64_t k : values_of_k(shapes)) {
        const Grid grid = make_grid(with_k(shapes, k));
        GridChart chart{.label = chart_label("Fastest route by rows and width", group, k),
                        .attributes = {{"data-chart", "envelope"},
                                       {"data-group", fmt::format("{}", g)},
                                       {"data-k", fmt::format("{}", k)}},
                        .row_title = "rows",
                        .column_title = fmt::format("k = {}, width in columns", k)};
        for (const std::int64_t rows : grid.rows) chart.row_labels.push_back(fmt::format("{}", rows));
        for (const std::int64_t width : grid.widths) chart.column_labels.push_back(format_columns(width));
        for (const EnvelopeCell& cell : envelope) {
          if (cell.shape.k == k && grid.has(cell.shape)) chart.cells.push_back(chart_cell(grid, cell));
        }
        html += draw(chart);
      }
      html += "</div>\n" + losses_table(envelope);
    }
  }
  if (html.empty()) return "";
  return "<p>The fastest way that was measured for each shape, forced routes and the automatic choice alike. The dot "
         "has the color of the automatic choice; the second line says what that loses against the fastest.</p>\n" +
         html;
}

}  // namespace keysieve::report

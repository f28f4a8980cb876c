// keysieve beside other implementations: means, speed-up bars and the times themselves.
#include "report/peers.hpp"

#include <fmt/format.h>

#include <set>

#include "report/bar_chart.hpp"
#include "report/html_table.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace keysieve::report {
namespace {

std::string place_name(const Place& place) {
  std::string text = fmt::format("{} x {}", place.shape.rows, format_columns(place.shape.width));
  if (place.distribution != kNormal) text += " " + place.distribution;
  return text;
}

std::string means_chart(const Group& group, std::size_t index, const PeerTable& table) {
  BarChart chart{.label = "Geometric mean of the speed-up over each peer, " + describe(group.setup),
                 .attributes = {{"data-chart", "peer-means"}, {"data-group", fmt::format("{}", index)}}};
  for (const PeerMean& mean : table.means) {
    if (mean.cells == 0) continue;
    chart.bars.push_back({.name = mean.name,
                          .ratio = mean.speed_up,
                          .value = fmt::format("{}x in {}", format_ratio(mean.speed_up),
                                               plural(static_cast<std::int64_t>(mean.cells), "cell", "cells")),
                          .title = fmt::format("keysieve is faster in {} of {} cells", mean.faster, mean.cells)});
  }
  return chart.bars.empty() ? "<p>No peer has a cell in common with keysieve.</p>\n" : draw(chart);
}

std::string speed_up_chart(const Group& group, std::size_t index, std::int64_t k, const PeerTable& table) {
  BarChart chart{
      .label = chart_label("Speed-up over the best peer of each shape", group, k),
      .attributes = {
          {"data-chart", "speed-up"}, {"data-group", fmt::format("{}", index)}, {"data-k", fmt::format("{}", k)}}};
  for (const PeerLine& line : table.lines) {
    if (!(line.speed_up > 0)) continue;
    chart.bars.push_back({.name = place_name(line.place),
                          .ratio = line.speed_up,
                          .value = format_ratio(line.speed_up) + "x",
                          .title = fmt::format("keysieve {} us, {} {} us", format_us(line.ours->median_us),
                                               line.best_peer->implementation, format_us(line.best_peer->median_us))});
  }
  return chart.bars.empty() ? "" : draw(chart);
}

TableCell time_cell(const Cell* cell, bool is_best) {
  if (cell == nullptr) return {.text = "-"};
  if (cell->is_wrong()) return {.text = "wrong", .css = "bad", .title = measurement_title(*cell)};
  return {.text = format_us(cell->median_us), .css = is_best ? "best" : "", .title = measurement_title(*cell)};
}

std::string times_table(const PeerTable& table) {
  std::vector<Column> columns = {{"scores", false}, {"rows"}, {"width"}, {"k"}, {"floor us"}, {"keysieve us"}};
  for (const std::string& name : table.names) columns.push_back({name});
  columns.push_back({"speed-up"});
  HtmlTable html(columns, {{"data-table", "peers"}});
  for (const PeerLine& line : table.lines) {
    const bool ours_best = line.ours != nullptr && line.ours->counts() && !(line.speed_up < 1);
    std::vector<TableCell> cells = {{.text = line.place.distribution},
                                    {.text = fmt::format("{}", line.place.shape.rows)},
                                    {.text = fmt::format("{}", line.place.shape.width)},
                                    {.text = fmt::format("{}", line.place.shape.k)},
                                    {.text = format_us(line.ours == nullptr ? kNotGiven : line.ours->floor_us)},
                                    time_cell(line.ours, ours_best)};
    for (const std::string& name : table.names) {
      const auto found = line.peers.find(name);
      const Cell* const peer = found == line.peers.end() ? nullptr : found->second;
      cells.push_back(time_cell(peer, !ours_best && peer != nullptr && peer == line.best_peer));
    }
    cells.push_back({.text = line.speed_up > 0 ? format_ratio(line.speed_up) + "x" : "-"});
    html.add(std::move(cells));
  }
  return html.html();
}

}  // namespace

std::string peers_section(const Run& run) {
  std::string html;
  for (std::size_t g = 0; g < run.groups.size(); ++g) {
    const Group& group = run.groups[g];
    const PeerTable all = make_peer_table(group);
    if (all.empty()) continue;
    html += group_heading(group, kNormal) + means_chart(group, g, all);
    std::set<std::int64_t> all_k;
    for (const PeerLine& line : all.lines) all_k.insert(line.place.shape.k);
    for (const std::int64_t k : all_k) {
      const PeerTable of_k = make_peer_table(group, k);
      const PeerMean& last = of_k.means.back();
      html += fmt::format("<h4>k = {}: {}x against {}, geometric mean</h4>\n", k, format_ratio(last.speed_up),
                          escape_html(last.name == kBestPeer ? "the best peer of each shape" : last.name));
      html += speed_up_chart(group, g, k, of_k);
      html += details("Times side by side", times_table(of_k));
    }
  }
  if (html.empty()) return "";
  return "<p>Speed-up: time of the peer over the time of keysieve in the same cell of the same run; right of 1x "
         "keysieve is faster. A peer that answers wrong does not count in that cell.</p>\n" +
         html;
}

}  // namespace keysieve::report

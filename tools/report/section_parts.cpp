#include <fmt/format.h>

#include "report/sections.hpp"
#include "report/text.hpp"

namespace keysieve::report {

std::string group_heading(const Group& group, const std::string& distribution) {
  std::string text = describe(group.setup);
  if (distribution != kNormal && !distribution.empty()) text += fmt::format(", {} scores", distribution);
  text[0] = static_cast<char>(text[0] >= 'a' && text[0] <= 'z' ? text[0] - 'a' + 'A' : text[0]);
  return fmt::format("<h3>{}</h3>\n", escape_html(text));
}

std::string chart_label(const std::string& what, const Group& group, std::int64_t k) {
  return fmt::format("{}, k = {}, {}", what, k, describe(group.setup));
}

std::string details(const std::string& summary, const std::string& body) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", escape_html(summary), body);
}

std::vector<const Cell*> automatic_cells(const Group& group, const std::string& distribution) {
  std::vector<const Cell*> cells;
  for (const auto& [place, contest] : group.places) {
    if (place.distribution == distribution && !contest.automatic.empty()) cells.push_back(contest.automatic.front());
  }
  return cells;
}

std::vector<Shape> shapes_of(const std::vector<const Cell*>& cells) {
  std::vector<Shape> shapes;
  shapes.reserve(cells.size());
  for (const Cell* cell : cells) shapes.push_back(cell->shape);
  return shapes;
}

std::string measurement_title(const Cell& cell) {
  std::string text = fmt::format("{}: {}", describe(cell.shape), route_label(cell));
  if (cell.threads > 0) text += fmt::format(", {} threads", cell.threads);
  text += fmt::format("; {} us ({} to {}), floor {} us", format_us(cell.median_us), format_us(cell.p10_us),
                      format_us(cell.p90_us), format_us(cell.floor_us));
  if (cell.is_wrong()) text += fmt::format("; {} of {} rows wrong: {}", cell.wrong_rows, cell.checked_rows, cell.fault);
  return text;
}

}  // namespace keysieve::report

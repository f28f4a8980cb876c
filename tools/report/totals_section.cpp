// Audits and toolchain records: their totals, failures first.
#include <fmt/format.h>

#include "report/html_table.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace keysieve::report {

std::string totals_section(const Inputs& inputs) {
  std::string html;
  for (const TotalsFile& file : inputs.totals) {
    html += fmt::format(
        "<h3>{}</h3>\n<p>{}, {}. {}</p>\n", escape_html(file.name), escape_html(file.schema), escape_html(file.machine),
        file.failures.empty()
            ? "No failure is listed."
            : fmt::format("<span class=\"bad\">{}.</span>",
                          plural(static_cast<std::int64_t>(file.failures.size()), "failure", "failures")));
    if (!file.failures.empty()) {
      html += "<ul class=\"bad\">\n";
      for (const std::string& failure : file.failures) html += fmt::format("<li>{}</li>\n", escape_html(failure));
      html += "</ul>\n";
    }
    if (!file.totals.empty()) {
      HtmlTable table({{"", false}, {"", false}}, {{"class", "pairs"}});
      for (const auto& [key, value] : file.totals) table.add({{.text = key}, {.text = value}});
      html += table.html();
    }
    for (const TotalsTable& totals : file.tables) {
      std::vector<Column> columns;
      for (const std::string& column : totals.columns) columns.push_back({column, column != "name"});
      HtmlTable table(columns);
      for (const std::vector<std::string>& line : totals.lines) {
        std::vector<TableCell> cells;
        for (const std::string& text : line) cells.push_back({.text = text});
        table.add(std::move(cells));
      }
      html += fmt::format("<h4>{}</h4>\n", escape_html(totals.title)) + table.html();
    }
  }
  return html;
}

}  // namespace keysieve::report

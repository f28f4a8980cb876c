// What is not right, before any number.
#include <fmt/format.h>

#include "report/html_table.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace keysieve::report {

std::string problems_section(const Run& run) {
  if (run.errors.empty() && run.wrong.empty() && run.not_answered.empty()) return "";
  std::string html;
  for (const std::string& error : run.errors) html += fmt::format("<p class=\"bad\">{}</p>\n", escape_html(error));
  if (!run.wrong.empty()) {
    HtmlTable table({{"wrong cell", false}, {"rows wrong"}, {"of"}, {"first difference", false}});
    for (const Cell* cell : run.wrong) {
      table.add({{.text = describe(*cell)},
                 {.text = fmt::format("{}", cell->wrong_rows)},
                 {.text = fmt::format("{}", cell->checked_rows)},
                 {.text = cell->fault}},
                "bad");
    }
    html += table.html();
  }
  if (!run.not_answered.empty()) {
    HtmlTable table({{"cell without a result", false}, {"reason", false}});
    for (const Cell* cell : run.not_answered) table.add({{.text = describe(*cell)}, {.text = cell->reason}}, "bad");
    html += table.html();
  }
  return html;
}

}  // namespace keysieve::report

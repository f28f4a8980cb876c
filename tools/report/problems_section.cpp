// What is not right, before any number.
#include <fmt/format.h>

#include "report/sections.hpp"
#include "report/text.hpp"

namespace keysieve::report {

std::string problems_section(const Run& run) {
  std::string html;
  // A list and no table: these sentences have to be read on a phone without scrolling sideways.
  const auto add = [&](const std::string& what, const std::string& why) {
    html += fmt::format("<li>{}{}{}</li>\n", escape_html(what), why.empty() ? "" : "<br>", escape_html(why));
  };
  for (const std::string& error : run.errors) add(error, "");
  for (const Cell* cell : run.wrong) {
    add(describe(*cell), fmt::format("{} of {} rows wrong; {}", cell->wrong_rows, cell->checked_rows, cell->fault));
  }
  for (const Cell* cell : run.not_answered) add(describe(*cell), "no result; " + cell->reason);
  return html.empty() ? "" : "<ul class=\"bad\">\n" + html + "</ul>\n";
}

}  // namespace keysieve::report

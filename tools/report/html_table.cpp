#include "report/html_table.hpp"

#include <fmt/format.h>

#include "report/text.hpp"

namespace keysieve::report {
namespace {

std::string class_text(bool is_number, const std::string& css) {
  std::string all = is_number ? "n" : "";
  if (!css.empty()) all += (all.empty() ? "" : " ") + css;
  return all.empty() ? "" : fmt::format(" class=\"{}\"", escape_html(all));
}

}  // namespace

void HtmlTable::add(std::vector<TableCell> line, const std::string& css) {
  body_ += fmt::format("<tr{}>", class_text(false, css));
  for (std::size_t i = 0; i < line.size() && i < columns_.size(); ++i) {
    const TableCell& cell = line[i];
    body_ += fmt::format("<td{}", class_text(columns_[i].is_number, cell.css));
    if (!cell.title.empty()) body_ += fmt::format(" title=\"{}\"", escape_html(cell.title));
    body_ += '>' + escape_html(cell.text);
    if (!cell.second.empty()) body_ += fmt::format("<br><small>{}</small>", escape_html(cell.second));
    body_ += "</td>";
  }
  body_ += "</tr>\n";
}

std::string HtmlTable::html() const {
  std::string html = fmt::format("<div class=\"scroll\"><table{}><thead><tr>", attribute_text(attributes_));
  for (const Column& column : columns_) {
    html += fmt::format("<th{}>{}</th>", class_text(column.is_number, ""), escape_html(column.name));
  }
  return html + "</tr></thead><tbody>\n" + body_ + "</tbody></table></div>\n";
}

}  // namespace keysieve::report

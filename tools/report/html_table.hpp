// A table in a container that scrolls sideways. Contents are escaped on the way out.
#pragma once

#include <string>
#include <vector>

#include "report/svg.hpp"

namespace keysieve::report {

struct Column {
  std::string name;
  bool is_number = true;
};

struct TableCell {
  std::string text = {};
  std::string second = {};  // a line below, muted; none where empty
  std::string css = {};
  std::string title = {};
};

class HtmlTable {
 public:
  explicit HtmlTable(std::vector<Column> columns, Attributes attributes = {})
      : columns_(std::move(columns)), attributes_(std::move(attributes)) {}

  void add(std::vector<TableCell> line, const std::string& css = "");
  bool empty() const { return body_.empty(); }
  std::string html() const;

 private:
  std::vector<Column> columns_;
  Attributes attributes_;
  std::string body_;
};

}  // namespace keysieve::report

// keysieve.audit/1 and keysieve.toolchain/1: their numbers are shown under the names that the files give them, so that
// a count that an instrument adds needs no change here.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/inputs.hpp"
#include "report/text.hpp"

namespace keysieve::report {
namespace {

// Lists that are empty when all is well.
bool is_failure_key(std::string_view key) { return key == "failures" || key == "faults" || key == "idle_families"; }

// Of a failure of an audit these say all that is needed to see it again.
constexpr std::string_view kFailureKeys[] = {"family", "number", "setup", "difference", "command"};

// Counts by name within a part: "tile 120, sieve 300".
std::string value_text(const Json& value) {
  if (!value.is_object()) return scalar_text(value);
  std::string text;
  for (const auto& [key, part] : value.items()) {
    if (scalar_text(part).empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, scalar_text(part));
  }
  return text;
}

std::string failure_text(const Json& failure) {
  if (!failure.is_object()) return scalar_text(failure);
  const bool is_known = failure.contains("difference") && failure.contains("command");
  std::string text;
  for (const auto& [key, part] : failure.items()) {
    if (is_known && std::find(std::begin(kFailureKeys), std::end(kFailureKeys), key) == std::end(kFailureKeys))
      continue;
    const std::string value = scalar_text(part);
    if (!value.empty()) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", key, value);
  }
  return text;
}

void take_failures(const Json& list, const std::string& of, std::vector<std::string>& failures) {
  for (const Json& failure : list) {
    const std::string text = failure_text(failure);
    failures.push_back(of.empty() ? text : fmt::format("{}: {}", of, text));
  }
}

class TableMaker {
 public:
  explicit TableMaker(std::string title) { table_.title = std::move(title); }

  void add_line(const std::string& name, const Json& part, std::vector<std::string>& failures) {
    std::vector<std::string> line(table_.columns.size());
    if (!name.empty()) put(line, "name", name);
    for (const auto& [key, value] : part.items()) {
      if (is_failure_key(key) && value.is_array()) {
        const auto at = part.find("name");
        take_failures(value, name.empty() && at != part.end() ? scalar_text(*at) : name, failures);
      } else if (!value.is_array() && !value.is_null()) {
        put(line, key, value_text(value));
      }
    }
    table_.lines.push_back(std::move(line));
  }

  TotalsTable finish() {
    for (auto& line : table_.lines) line.resize(table_.columns.size());
    return std::move(table_);
  }

 private:
  void put(std::vector<std::string>& line, const std::string& column, std::string text) {
    const auto found = std::find(table_.columns.begin(), table_.columns.end(), column);
    const auto at = static_cast<std::size_t>(found - table_.columns.begin());
    if (found == table_.columns.end()) table_.columns.push_back(column);
    if (line.size() <= at) line.resize(at + 1);
    line[at] = std::move(text);
  }

  TotalsTable table_;
};

bool all_objects(const Json& list) {
  return !list.empty() && std::all_of(list.begin(), list.end(), [](const Json& part) { return part.is_object(); });
}

}  // namespace

TotalsFile read_totals(const std::string& name, const Field& top) {
  TotalsFile file;
  file.name = name;
  file.schema = top.text("schema", "");
  file.machine = machine_of(top);
  if (const auto requested = top.json().find("requested"); requested != top.json().end() && requested->is_object()) {
    const auto library = requested->find("peer_library");
    file.of_a_peer =
        library != requested->end() && library->is_string() && !library->get_ref<const std::string&>().empty();
  }
  for (const auto& [key, value] : top.json().items()) {
    if (key == "schema" || key == "fingerprint" || value.is_null()) continue;
    if (is_failure_key(key) && value.is_array()) {
      take_failures(value, key == "idle_families" ? "no case ran in" : "", file.failures);
    } else if (value.is_structured() && all_objects(value)) {
      TableMaker maker(key);
      for (const auto& [part_name, part] : value.items()) {
        maker.add_line(value.is_object() ? part_name : "", part, file.failures);
      }
      file.tables.push_back(maker.finish());
    } else {
      if (std::string text = value_text(value); !text.empty()) file.totals.emplace_back(key, std::move(text));
      if (!value.is_object()) continue;
      for (const auto& [part_key, part] : value.items()) {
        if (is_failure_key(part_key) && part.is_array()) take_failures(part, key, file.failures);
      }
    }
  }
  if (const std::string error = top.text("error", ""); !error.empty()) file.failures.push_back("error: " + error);
  // The instrument's own verdict, for the case that it lists no reason.
  for (const char* verdict : {"ok", "passed"}) {
    if (!top.boolean(verdict, true) && file.failures.empty()) file.failures.push_back(fmt::format("not {}", verdict));
  }
  return file;
}

}  // namespace keysieve::report

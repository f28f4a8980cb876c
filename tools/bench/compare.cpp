#include "bench/compare.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "cli/option_names.hpp"

namespace keysieve::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "keysieve.bench/1";

// What makes a cell the same one in two reports.
constexpr std::array kAsked = {"rows",     "width", "capacity",    "k",           "dtype",         "distribution",
                               "lengths",  "mode",  "order",       "output",      "values",        "chain",
                               "busy_sms", "hint",  "route_asked", "split_asked", "threads_asked", "implementation"};

using Cells = std::map<std::string, const Json*>;

[[noreturn]] void refuse(const char* which, const std::string& what) {
  throw cli::UsageError(std::string(which) + ": expected " + what);
}

Json asked_of(const Json& cell) {
  Json asked = Json::object();
  for (const char* key : kAsked) asked[key] = cell.contains(key) ? cell[key] : Json();
  return asked;
}

double number(const char* which, const Json& cell, const char* key) {
  const auto found = cell.find(key);
  if (found == cell.end() || !found->is_number()) {
    refuse(which, std::string("a number as ") + key + " of every cell, found " +
                      (found == cell.end() ? "none" : found->dump()));
  }
  return found->get<double>();
}

const Json& list(const char* which, const Json& report, const char* key) {
  const auto found = report.find(key);
  if (found == report.end() || !found->is_array()) refuse(which, std::string("an array as ") + key);
  for (const Json& cell : *found) {
    if (!cell.is_object()) refuse(which, std::string("objects in ") + key);
  }
  return *found;
}

Cells index(const char* which, const Json& report, const char* key) {
  Cells cells;
  for (const Json& cell : list(which, report, key)) {
    if (!cells.emplace(asked_of(cell).dump(), &cell).second) refuse(which, std::string("every cell once in ") + key);
  }
  return cells;
}

void check_report(const char* which, const Json& report) {
  if (!report.is_object() || report.value("schema", Json()) != kSchema) {
    refuse(which, std::string("a report of schema ") + kSchema + ", found " +
                      (report.is_object() ? report.value("schema", Json()).dump() : std::string(report.type_name())));
  }
}

CellChange compare_cells(const Json& before, const Json& after, double threshold) {
  CellChange cell;
  cell.asked = asked_of(after);
  cell.before = number("BEFORE", before, "ratio_to_floor");
  cell.after = number("AFTER", after, "ratio_to_floor");
  if (!(cell.before > 0)) refuse("BEFORE", "a ratio_to_floor above 0");
  cell.relative = cell.after / cell.before - 1;
  cell.limit = std::max(threshold, number("BEFORE", before, "noise") + number("AFTER", after, "noise"));
  if (cell.relative > cell.limit) cell.change = Change::kSlower;
  if (cell.relative < -cell.limit) cell.change = Change::kFaster;
  if (number("AFTER", after, "wrong_rows") > 0 && number("BEFORE", before, "wrong_rows") == 0) {
    cell.change = Change::kWrong;
    cell.note = after.value("fault", "");
  }
  return cell;
}

std::string device_of(const Json& report) {
  const Json fingerprint = report.value("fingerprint", Json::object());
  if (!fingerprint.is_object()) return "";
  const Json name = fingerprint.contains("gpu") ? fingerprint["gpu"] : fingerprint.value("cpu", Json());
  return name.is_string() ? name.get<std::string>() : "";
}

}  // namespace

Comparison compare_reports(const Json& before, const Json& after, double threshold) {
  check_report("BEFORE", before);
  check_report("AFTER", after);
  const Cells before_cells = index("BEFORE", before, "cells"), after_cells = index("AFTER", after, "cells");
  Cells lost = index("AFTER", after, "refused");
  for (const auto& [key, cell] : index("AFTER", after, "failed")) lost.emplace(key, cell);
  // What a time budget left out is nobody's loss; what was not reached because the run broke is.
  if (!after.value("error", "").empty() && after.contains("missing")) {
    for (const auto& [key, cell] : index("AFTER", after, "missing")) lost.emplace(key, cell);
  }

  Comparison result;
  std::size_t common = 0;
  for (const auto& [key, cell] : before_cells) {
    if (const auto found = after_cells.find(key); found != after_cells.end()) {
      result.cells.push_back(compare_cells(*cell, *found->second, threshold));
      ++common;
    } else if (const auto reason = lost.find(key); reason != lost.end()) {
      CellChange change;
      change.asked = asked_of(*cell);
      change.change = Change::kLost;
      change.before = number("BEFORE", *cell, "ratio_to_floor");
      change.note = reason->second->value("reason", "");
      result.cells.push_back(change);
    } else {
      ++result.only_before;
    }
  }
  if (result.cells.empty()) refuse("AFTER", "a cell that BEFORE has measured too, found none");
  result.only_after = after_cells.size() - common;
  if (const std::string error = after.value("error", ""); !error.empty()) {
    result.warnings.push_back("AFTER ended early: " + error);
  }
  if (device_of(before) != device_of(after)) {
    result.warnings.push_back("devices differ: " + device_of(before) + " and " + device_of(after) +
                              "; ratios to the floor are compared, but a plan may differ too");
  }
  return result;
}

}  // namespace keysieve::bench

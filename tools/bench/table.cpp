#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/result.hpp"

namespace keysieve::bench {
namespace {

constexpr int kNumberWidth = 10;

// In the order in which they first appear.
std::vector<std::string> implementations(const Report& report) {
  std::vector<std::string> names;
  for (const CellResult& result : report.results) {
    if (std::find(names.begin(), names.end(), result.implementation) == names.end()) {
      names.push_back(result.implementation);
    }
  }
  return names;
}

std::string entry(const CellResult* result) {
  if (result == nullptr) return "-";
  const double floor = result->floor.median_us;
  return fmt::format("{:.2f}{}{}", result->first.median_us, result->is_wrong() ? " WRONG" : "",
                     floor > 0 ? fmt::format(" ({:.2f}x)", result->first.median_us / floor) : "");
}

}  // namespace

std::string result_table(const Report& report) {
  if (report.results.empty()) return "";
  const std::vector<std::string> names = implementations(report);
  std::map<Cell, std::map<std::string, const CellResult*>> by_cell;
  std::size_t label_width = 0;
  for (const CellResult& result : report.results) {
    by_cell[result.cell][result.implementation] = &result;
    label_width = std::max(label_width, describe(result.cell).size());
  }
  const auto column = [](const std::string& name) { return std::max<std::size_t>(name.size(), 18); };
  std::string text = fmt::format("{:<{}} {:>{}}", "cell (times in us)", label_width, "floor", kNumberWidth);
  for (const std::string& name : names) text += fmt::format("  {:>{}}", name, column(name));
  text += '\n';
  for (const auto& [cell, results] : by_cell) {
    text += fmt::format("{:<{}} {:>{}.2f}", describe(cell), label_width, results.begin()->second->floor.median_us,
                        kNumberWidth);
    for (const std::string& name : names) {
      const auto found = results.find(name);
      text += fmt::format("  {:>{}}", entry(found == results.end() ? nullptr : found->second), column(name));
    }
    text += '\n';
  }
  return text;
}

}  // namespace keysieve::bench

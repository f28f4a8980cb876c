// Grids in TOML: keys are the axes, a value is one item or an array of them. Tables [[grid]] add up; without one the
// file is a single table.
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "bench/grid.hpp"
#include "cli/option_names.hpp"

namespace keysieve::bench {
namespace {

constexpr std::string_view kThresholdsKey = "thresholds";

std::string item_text(const std::string& where, const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  throw cli::UsageError(where + ": expected a whole number, a string or an array of them");
}

std::vector<std::string> item_texts(const std::string& where, const toml::node& node) {
  const toml::array* const array = node.as_array();
  if (array == nullptr) return {item_text(where, node)};
  std::vector<std::string> items;
  for (const toml::node& item : *array) items.push_back(item_text(where, item));
  if (items.empty()) throw cli::UsageError(where + ": expected at least one value, found none");
  return items;
}

GridBlock read_block(const std::string& path, const toml::table& table) {
  GridBlock block;
  bool thresholds = false;
  for (const auto& [key, node] : table) {
    const std::string_view name = key.str();
    const std::string where = path + ": " + std::string(name);
    if (name == kThresholdsKey) {
      const auto flag = node.value_exact<bool>();
      if (!flag) throw cli::UsageError(where + ": expected true or false");
      thresholds = *flag;
      continue;
    }
    const auto axis = std::find_if(axes().begin(), axes().end(), [&](const Axis& a) { return name == a.name; });
    if (axis == axes().end()) throw cli::UsageError(where + ": expected the name of an axis, found this key");
    axis->set(block, where, item_texts(where, node));
  }
  block.thresholds = thresholds;
  for (const auto& [name, empty] : {std::pair("rows", block.rows.empty()), std::pair("widths", block.widths.empty()),
                                    std::pair("k", block.k.empty())}) {
    if (empty) throw cli::UsageError(path + ": " + name + ": expected a value, found none");
  }
  return block;
}

}  // namespace

Grid read_grid(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw cli::UsageError("--grid: expected one of " + grid_names() + " or a readable file, found " + path);
  toml::table table;
  try {
    table = toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw cli::UsageError(path + ":" + std::to_string(error.source().begin.line) + ": " +
                          std::string(error.description()));
  }
  const toml::array* const tables = table["grid"].as_array();
  if (tables == nullptr) return {read_block(path, table)};
  if (table.size() != 1 || tables->empty()) {
    throw cli::UsageError(path + ": expected nothing beside the tables [[grid]]");
  }
  Grid grid;
  for (const toml::node& node : *tables) {
    if (!node.is_table()) throw cli::UsageError(path + ": grid: expected tables [[grid]]");
    grid.push_back(read_block(path, *node.as_table()));
  }
  return grid;
}

}  // namespace keysieve::bench

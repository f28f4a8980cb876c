// The cells of a run: products of axes, by name, from flags or from a TOML file.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cell.hpp"

namespace keysieve::bench {

inline constexpr std::int64_t kCapacityOfWidth = 0;

// One product of axes.
struct GridBlock {
  std::vector<std::int64_t> rows, widths, k;
  std::vector<std::int64_t> capacities = {kCapacityOfWidth};
  std::vector<ScoreType> dtypes = {ScoreType::kFloat32};
  std::vector<Distribution> distributions = {Distribution::kNormal};
  std::vector<Lengths> lengths = {Lengths{}};
  std::vector<Mode> modes = {Mode::kWarm};
  std::vector<SlotOrder> orders = {SlotOrder::kAny};
  std::vector<IndexMode> outputs = {IndexMode::kRaw};
  std::vector<bool> values = {false};
  std::vector<Chain> chains = {Chain::kAlone};
  std::vector<std::int32_t> busy_sms = {0};
  std::vector<Hint> hints = {Hint::kNone};
  std::vector<Route> routes = {Route::kAuto};
  std::vector<std::int32_t> splits = {kAuto};
  std::vector<std::int32_t> threads = {kAuto};
  bool thresholds = false;  // also the widths where the planner changes its mind, and their neighbours
};

using Grid = std::vector<GridBlock>;

// An axis under the name that flags (--rows) and TOML keys (rows) share.
struct Axis {
  const char* name;
  const char* help;
  // Replaces the axis. Throws cli::UsageError that names `flag`.
  void (*set)(GridBlock& block, std::string_view flag, const std::vector<std::string>& items);
};

std::span<const Axis> axes();

// "1,4,16" in parts.
std::vector<std::string> split_list(std::string_view text);

// "full", "baseline", "smoke", "cpu"; empty where there is none of that name.
Grid named_grid(std::string_view name);
std::string grid_names();

// Throws cli::UsageError, with the file and the key.
Grid read_grid(const std::string& path);

// Widths of a shape that lie at a change of the plan; see thresholds.hpp.
using Thresholds = std::function<std::vector<std::int64_t>(const Cell& shape, std::int64_t most)>;

// Every cell once, those that share scores side by side, widest rows first: those carry the goals, and a time budget
// cuts from the end. Throws cli::UsageError for a capacity below a width.
std::vector<Cell> enumerate_cells(const Grid& grid, const Thresholds& thresholds);

// Cells with an equal key are measured on the same scores.
bool share_scores(const Cell& a, const Cell& b);

// Part `index` (from 1) of `count`: groups that share scores are dealt by turns.
std::vector<Cell> part_of(const std::vector<Cell>& cells, std::int64_t index, std::int64_t count);

}  // namespace keysieve::bench

// Command line of gpu_select_bench. No CUDA here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "distribution.hpp"
#include "keysieve/types.hpp"

namespace keysieve::bench {

enum class LengthKind { kRagged, kFull };
enum class Mode { kWarm, kCold };

const char* name_of(ScoreType type);
const char* name_of(SlotOrder order);
const char* name_of(Route route);
const char* name_of(Mode mode);

// The defaults are the grid of the public baselines, widest rows first: those carry the goals, and a time budget cuts
// from the end.
struct Options {
  std::vector<std::int64_t> rows = {1, 4, 16, 64, 128, 132, 160, 256, 1024, 4096};
  std::vector<std::int64_t> widths = {262144, 131072, 65536, 32768, 16384, 8192};
  std::vector<std::int64_t> k = {512, 1024, 2048};
  std::vector<ScoreType> dtypes = {ScoreType::kFloat32};
  std::vector<SlotOrder> orders = {SlotOrder::kAny};
  std::vector<Route> routes = {Route::kAuto};
  std::vector<std::int32_t> splits = {kAuto};
  std::vector<std::int32_t> threads = {kAuto};
  std::vector<Distribution> distributions = {Distribution::kNormal};
  std::vector<Mode> modes = {Mode::kWarm};
  LengthKind lengths = LengthKind::kRagged;
  std::int64_t live = 0;  // > 0: every row has this length
  int samples = 21;
  int check_rows = 8;
  double time_budget_s = 0;  // 0: none
  std::string output;
  std::string revision;
  bool help = false;
};

// Throws std::invalid_argument naming the flag, what was expected and what was given.
Options parse_options(std::span<const char* const> arguments);

std::string usage();

// The live columns of a row. Ragged: 80 to 100 % of the width, by a hash of the row alone, so that the first rows of
// a batch are the same in every batch.
std::int32_t row_length(const Options& options, std::int64_t row, std::int64_t width);

// The cell's label of lengths: "ragged", "full" or "live 2048".
std::string length_label(const Options& options);

}  // namespace keysieve::bench

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "bench/compare.hpp"
#include "cli/console.hpp"
#include "cli/option_names.hpp"

namespace keysieve::bench {
namespace {

using Json = nlohmann::ordered_json;

Json read_json(const char* which, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw cli::UsageError(std::string(which) + ": expected a readable file, found " + path);
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw cli::UsageError(std::string(which) + ": expected JSON, found none in " + path);
  return json;
}

const char* name_of(Change change) {
  switch (change) {
    case Change::kFaster:
      return "faster";
    case Change::kSlower:
      return "slower";
    case Change::kWrong:
      return "wrong";
    case Change::kLost:
      return "lost";
    case Change::kSame:
      break;
  }
  return "same";
}

// The shape, and of the rest what is not the usual.
std::string label(const Json& asked) {
  static const std::pair<const char*, Json> kUsual[] = {{"dtype", "float32"},      {"distribution", "normal"},
                                                        {"lengths", "ragged"},     {"mode", "warm"},
                                                        {"order", "any"},          {"output", "raw"},
                                                        {"values", false},         {"chain", "alone"},
                                                        {"busy_sms", 0},           {"hint", "none"},
                                                        {"route_asked", "auto"},   {"split_asked", "auto"},
                                                        {"threads_asked", "auto"}, {"implementation", "keysieve"}};
  const auto text = [](const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); };
  std::string result = text(asked["rows"]) + " x " + text(asked["width"]) + " k " + text(asked["k"]);
  if (asked["capacity"] != asked["width"]) result += " capacity " + text(asked["capacity"]);
  for (const auto& [key, usual] : kUsual) {
    if (asked[key] != usual) result += fmt::format(" {}={}", key, text(asked[key]));
  }
  return result;
}

struct Totals {
  std::size_t faster = 0, slower = 0, wrong = 0, lost = 0, same = 0;

  explicit Totals(const Comparison& comparison) {
    for (const CellChange& cell : comparison.cells) ++*at(cell.change);
  }
  std::size_t* at(Change change) {
    switch (change) {
      case Change::kFaster:
        return &faster;
      case Change::kSlower:
        return &slower;
      case Change::kWrong:
        return &wrong;
      case Change::kLost:
        return &lost;
      case Change::kSame:
        break;
    }
    return &same;
  }
};

// Worst first.
std::vector<CellChange> moved(const Comparison& comparison) {
  std::vector<CellChange> cells;
  std::copy_if(comparison.cells.begin(), comparison.cells.end(), std::back_inserter(cells),
               [](const CellChange& cell) { return cell.change != Change::kSame; });
  std::stable_sort(cells.begin(), cells.end(), [](const CellChange& a, const CellChange& b) {
    const auto rank = [](const CellChange& cell) { return std::pair(-static_cast<int>(cell.change), -cell.relative); };
    return rank(a) < rank(b);
  });
  return cells;
}

std::string to_text(const Comparison& comparison, const Totals& totals) {
  std::string text;
  for (const CellChange& cell : moved(comparison)) {
    text += fmt::format("{:<7} {:>+7.1f} %  {:>8.3f} -> {:<8.3f} (limit {:.1f} %)  {}{}\n", name_of(cell.change),
                        cell.relative * 100, cell.before, cell.after, cell.limit * 100, label(cell.asked),
                        cell.note.empty() ? "" : ": " + cell.note);
  }
  text += fmt::format(
      "{} cells compared by their ratio to the floor: {} slower, {} wrong, {} lost, {} faster, {} as before\n",
      comparison.cells.size(), totals.slower, totals.wrong, totals.lost, totals.faster, totals.same);
  if (comparison.only_before + comparison.only_after > 0) {
    text += fmt::format("not compared: {} only in BEFORE, {} only in AFTER\n", comparison.only_before,
                        comparison.only_after);
  }
  return text;
}

std::string to_json_text(const Comparison& comparison, const Totals& totals) {
  Json json = {{"schema", "keysieve.bench_compare/1"},
               {"compared", comparison.cells.size()},
               {"slower", totals.slower},
               {"wrong", totals.wrong},
               {"lost", totals.lost},
               {"faster", totals.faster},
               {"same", totals.same},
               {"only_before", comparison.only_before},
               {"only_after", comparison.only_after},
               {"moved", Json::array()}};
  for (const CellChange& cell : moved(comparison)) {
    json["moved"].push_back(cell.asked);
    json["moved"].back().update({{"change", name_of(cell.change)},
                                 {"ratio_before", cell.before},
                                 {"ratio_after", cell.change == Change::kLost ? Json() : Json(cell.after)},
                                 {"relative", cell.change == Change::kLost ? Json() : Json(cell.relative)},
                                 {"limit", cell.limit},
                                 {"note", cell.note}});
  }
  return json.dump(1) + "\n";
}

}  // namespace

int run_compare(const CompareOptions& options) {
  const Json before = read_json("BEFORE", options.before), after = read_json("AFTER", options.after);
  const Comparison comparison = compare_reports(before, after, options.threshold);
  for (const std::string& warning : comparison.warnings) cli::print_warning(warning);
  const Totals totals(comparison);
  cli::write_stdout(options.json ? to_json_text(comparison, totals) : to_text(comparison, totals));
  const bool worse = std::any_of(comparison.cells.begin(), comparison.cells.end(),
                                 [](const CellChange& cell) { return cell.is_regression(); });
  return worse ? cli::kExitFault : cli::kExitOk;
}

}  // namespace keysieve::bench

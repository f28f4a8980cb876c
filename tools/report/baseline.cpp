#include "report/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>

#include "io/file_error.hpp"
#include "io/memory_map.hpp"
#include "report/text.hpp"

namespace keysieve::report {
namespace {

using Fields = std::vector<std::string_view>;

Fields split_line(std::string_view line) {
  Fields fields;
  for (std::size_t at = 0;;) {
    const std::size_t comma = line.find(',', at);
    fields.push_back(line.substr(at, comma == std::string_view::npos ? comma : comma - at));
    if (comma == std::string_view::npos) return fields;
    at = comma + 1;
  }
}

// The lines of a CSV file without quotes, by column name.
class Table {
 public:
  explicit Table(const std::string& path) : path_(path), map_(path) {
    text_ = {reinterpret_cast<const char*>(map_.bytes().data()), map_.bytes().size()};
    if (text_.find('"') != std::string_view::npos) refuse("no quoted fields", "a quote");
    if (!next()) refuse("a line of column names", "an empty file");
    header_ = fields_;
  }

  bool next() {
    fields_.clear();
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++line_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.empty()) continue;
      fields_ = split_line(line);
      return true;
    }
    return false;
  }

  std::optional<std::size_t> column(std::string_view name) const {
    const auto found = std::find(header_.begin(), header_.end(), name);
    if (found == header_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - header_.begin());
  }

  std::string_view text(std::string_view name) const {
    const auto at = column(name);
    if (!at) refuse(fmt::format("a column {}", name), "none");
    if (*at >= fields_.size()) refuse(fmt::format("a field for column {}", name), "the end of the line");
    return fields_[*at];
  }

  double positive(std::string_view name) const {
    const std::string_view field = text(name);
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || end != field.data() + field.size() || !(value > 0) || !std::isfinite(value)) {
      refuse(fmt::format("a number above 0 for column {}", name), io::quote(field));
    }
    return value;
  }

  std::int64_t extent(std::string_view name) const {
    const double value = positive(name);
    if (value != std::floor(value) || value > 2147483647.0) {
      refuse(fmt::format("an integer for column {}", name), io::quote(text(name)));
    }
    return static_cast<std::int64_t>(value);
  }

 private:
  [[noreturn]] void refuse(std::string_view expected, std::string_view found) const {
    io::throw_file_error(fmt::format("{}: line {}", io::one_line(path_), line_), expected, found);
  }

  std::string path_;
  io::MemoryMap map_;
  std::string_view text_;
  std::size_t line_ = 0;
  Fields header_, fields_;
};

bool is_comparable(const Setup& setup) {
  Setup plain = setup;
  plain.mode = plain.order = "";
  return plain == Setup{.mode = "",
                        .dtype = "float32",
                        .lengths = "ragged",
                        .order = "",
                        .output = "raw",
                        .chain = "alone",
                        .hint = "none"};
}

}  // namespace

Baseline Baseline::read(const std::string& path) {
  Baseline baseline;
  baseline.name_ = std::filesystem::path(path).filename().string();
  Table table(path);
  const bool has_deterministic = table.column("best_deterministic_us").has_value();
  while (table.next()) {
    // No right answer is known for this shape: nothing to be held against.
    if (table.text("best_us").empty()) continue;
    BaselineEntry entry{.read_floor_us = table.positive("read_floor_us"),
                        .best_us = table.positive("best_us"),
                        .best_name = std::string(table.text("best_impl"))};
    if (has_deterministic && !table.text("best_deterministic_us").empty()) {
      entry.best_deterministic_us = table.positive("best_deterministic_us");
    }
    const Shape shape{table.extent("rows"), table.extent("width"), table.extent("k")};
    baseline.entries_.emplace(std::pair(std::string(table.text("mode")), shape), std::move(entry));
  }
  if (baseline.entries_.empty()) io::throw_file_error(io::one_line(path), "a line with a best_us", "none");
  return baseline;
}

const BaselineEntry* Baseline::find(const Cell& cell) const {
  const auto found = entries_.find(std::pair(cell.setup.mode, cell.shape));
  return found == entries_.end() ? nullptr : &found->second;
}

BaselineCell compare_with(const Baseline& baseline, const Cell& cell) {
  BaselineCell compared{.cell = &cell};
  if (!cell.is_automatic() || !cell.counts() || cell.distribution != kNormal || !is_comparable(cell.setup)) {
    return compared;
  }
  compared.theirs = baseline.find(cell);
  if (compared.theirs == nullptr) return compared;
  const double ours = ratio_to_read_floor(cell);
  compared.to_best = ours / (compared.theirs->best_us / compared.theirs->read_floor_us);
  compared.to_deterministic = ours / (compared.theirs->best_deterministic_us / compared.theirs->read_floor_us);
  return compared;
}

BaselineComparison compare_with(const Baseline& baseline, const Group& group) {
  BaselineComparison comparison;
  std::map<std::int64_t, std::pair<std::vector<double>, std::vector<double>>> of_k;
  for (const auto& [place, contest] : group.places) {
    if (contest.automatic.empty()) continue;
    const BaselineCell compared = compare_with(baseline, *contest.automatic.front());
    if (!(compared.to_best > 0)) continue;
    comparison.cells.push_back(compared);
    auto& [to_best, to_deterministic] = of_k[place.shape.k];
    to_best.push_back(compared.to_best);
    if (compared.to_deterministic > 0) to_deterministic.push_back(compared.to_deterministic);
    if (compared.to_best > 1) comparison.slower.push_back(compared);
  }
  for (const auto& [k, ratios] : of_k) {
    BaselineMean mean{.k = k,
                      .to_best = geometric_mean(ratios.first),
                      .to_deterministic = geometric_mean(ratios.second),
                      .cells = ratios.first.size(),
                      .deterministic_cells = ratios.second.size()};
    mean.slower = static_cast<std::size_t>(
        std::count_if(ratios.first.begin(), ratios.first.end(), [](double ratio) { return ratio > 1; }));
    comparison.means.push_back(mean);
  }
  std::stable_sort(comparison.slower.begin(), comparison.slower.end(),
                   [](const BaselineCell& a, const BaselineCell& b) { return a.to_best > b.to_best; });
  return comparison;
}

}  // namespace keysieve::report

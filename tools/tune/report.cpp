#include "tune/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace keysieve::tune {
namespace {

constexpr std::size_t kShownChanges = 12;

struct Change {
  Shape shape;
  std::string variant;
  Choice before, after;

  double gain() const { return before.us / after.us; }
};

std::vector<Change> changes_of(std::span<const Point> points, const DeviceProfile& before, const CudaTuning& tuning) {
  DeviceProfile after = before;
  after.tuning = tuning;
  std::vector<Change> changes;
  for (const Point& point : points) {
    const Change change{point.shape, point.variant, choose(point, before), choose(point, after)};
    if (change.before.way != change.after.way) changes.push_back(change);
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.gain() > b.gain(); });
  return changes;
}

std::string describe(const Change& change) {
  return fmt::format("  {} x {} k={} ({}): {}, {:.1f} us -> {}, {:.1f} us\n", change.shape.rows, change.shape.width,
                     change.shape.k, change.variant, tune::describe(change.before.way), change.before.us,
                     tune::describe(change.after.way), change.after.us);
}

std::string text_of(std::int64_t value) { return value == kNeverColumns ? "never" : std::to_string(value); }

// Text of the result file inside a C++ string literal.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    result += plain ? c : '?';
  }
  return result + '"';
}

}  // namespace

std::string describe_fit(const Result& result, std::span<const Point> points, const Fit& fit, const Summary& summary) {
  const CudaTuning& before = result.profile.tuning;
  std::string text =
      fmt::format("device: {}, {} SMs, toolkit {}\n", result.key.gpu, result.key.num_sms, result.key.toolkit);
  text += fmt::format("measured: {} shapes, {} ways of serving them", summary.points, summary.candidates);
  if (summary.seconds > 0) text += fmt::format(", {:.0f} s", summary.seconds);
  text += summary.complete ? "\n" : "; the time did not suffice for the coarse grid\n";
  if (result.left_out > 0) text += fmt::format("left out: {} cells that do not compare routes\n", result.left_out);
  for (const TuningField& field : kTuningFields) {
    const std::int64_t from = before.*field.value, to = fit.tuning.*field.value;
    text += fmt::format("{:<29}{}", field.name, text_of(from));
    text += from == to ? "\n" : fmt::format(" -> {}\n", text_of(to));
  }
  text += fmt::format("over the fastest way, geometric mean: {:.2f} % before, {:.2f} % after\n", 100 * fit.loss_before,
                      100 * fit.loss_after);
  const std::vector<Change> changes = changes_of(points, result.profile, fit.tuning);
  text += fmt::format("shapes that change hands: {}\n", changes.size());
  for (std::size_t i = 0; i < std::min(kShownChanges, changes.size()); ++i) text += describe(changes[i]);
  if (changes.size() > kShownChanges) {
    text += "  ... and the least gain:\n" + describe(changes.back());
  }
  return text;
}

std::string table_entry(const Result& result, const CudaTuning& tuning, const std::string& name) {
  std::string text = fmt::format("    BuiltInTuning{{{}, {}, {}, {},\n", quoted(name), quoted(result.key.gpu),
                                 result.key.compute_capability, result.key.num_sms);
  const char* open = "                  {";
  for (const TuningField& field : kTuningFields) {
    text += fmt::format("{}.{} = {}", open, field.name, tuning.*field.value);
    open = ",\n                   ";
  }
  return text + "}},\n";
}

}  // namespace keysieve::tune

#include "report/cell.hpp"

#include <fmt/format.h>

#include <cmath>

namespace keysieve::report {
namespace {

constexpr std::int64_t kLargestExtent = (std::int64_t{1} << 31) - 1;

std::int64_t extent(const Field& field, const char* key) {
  const std::int64_t value = field.integer(key, 1);
  if (value > kLargestExtent) field.member(key).refuse("at most 2147483647");
  return value;
}

double positive(const Field& field, const char* key) {
  const double value = field.number(key, kNotGiven);
  if (value <= 0) field.member(key).refuse("a number above 0");
  return value;
}

// Where nothing is to be read or written the floor may be nothing too.
double positive_or_none(const Field& field, const char* key) {
  const double value = field.number(key, kNotGiven);
  return value > 0 ? value : kNotGiven;
}

void read_result(const Field& field, Cell& cell) {
  cell.route_taken = field.text("route_taken", "");
  cell.split = field.integer("split", 0, 0);
  cell.threads = field.integer("threads", 0, 0);
  cell.checked_rows = field.integer("checked_rows", 0, 0);
  cell.wrong_rows = field.integer("wrong_rows", 0, 0);
  cell.fault = field.text("fault", "");
  const bool may_be_no_time = cell.is_wrong() || cell.setup.chain != "alone";
  cell.median_us = may_be_no_time ? field.number("median_us", kNotGiven) : positive(field, "median_us");
  if (std::isnan(cell.median_us) && !cell.is_wrong()) {
    // The key that is missing, by name: a right cell without a time is not a measurement.
    field.member("median_us");
  }
  cell.p10_us = field.number("p10_us", kNotGiven);
  cell.p90_us = field.number("p90_us", kNotGiven);
  cell.floor_us = positive_or_none(field, "floor_us");
  cell.read_floor_us = positive_or_none(field, "read_floor_us");
  cell.ratio_to_floor = field.number("ratio_to_floor", kNotGiven);
  cell.ratio_to_read_floor = field.number("ratio_to_read_floor", kNotGiven);
  cell.noise = field.number("noise", kNotGiven);
  const double second_us = field.number("second_median_us", kNotGiven);
  if (std::isnan(cell.noise) && cell.has_time()) cell.noise = std::abs(second_us - cell.median_us) / cell.median_us;
  cell.gb_per_s = field.number("gb_per_s", kNotGiven);
  cell.max_second_reads = field.number("max_second_reads", kNotGiven);
  cell.mean_compactions = field.number("mean_compactions", kNotGiven);
}

}  // namespace

Cell read_cell(const Field& field, std::size_t file, Kind kind) {
  field.expect_object();
  Cell cell;
  cell.file = file;
  cell.shape = {extent(field, "rows"), extent(field, "width"), extent(field, "k")};
  cell.setup = {.mode = field.text("mode", "warm"),
                .dtype = field.text("dtype", "float32"),
                .lengths = field.text("lengths", "ragged"),
                .order = field.text("order", "any"),
                .output = field.text("output", "raw"),
                .chain = field.text("chain", "alone"),
                .hint = field.text("hint", "none"),
                .values = field.boolean("values", false),
                .busy_sms = field.integer("busy_sms", 0, 0),
                .capacity = field.integer("capacity", 0, 0)};
  if (cell.setup.capacity == cell.shape.width) cell.setup.capacity = 0;
  cell.distribution = field.text("distribution", kNormal);
  cell.implementation = field.text("implementation", kKeysieve);
  cell.route_asked = field.text("route_asked", kAuto);
  cell.split_asked = field.text_or_number("split_asked", kAuto);
  cell.threads_asked = field.text_or_number("threads_asked", kAuto);
  if (kind == Kind::kMeasured) {
    read_result(field, cell);
  } else {
    cell.reason = field.text("reason", "");
  }
  return cell;
}

std::string describe(const Setup& setup) {
  std::string text = fmt::format("{}, {}, {} lengths, order {}", setup.mode, setup.dtype, setup.lengths, setup.order);
  if (setup.output != "raw") text += fmt::format(", output {}", setup.output);
  if (setup.values) text += ", with values";
  if (setup.chain != "alone") text += fmt::format(", {} behind a writer", setup.chain);
  if (setup.busy_sms > 0) text += fmt::format(", {} SMs busy", setup.busy_sms);
  if (setup.capacity > 0) text += fmt::format(", buffer of {} columns", setup.capacity);
  if (setup.hint != "none") text += fmt::format(", hint {}", setup.hint);
  return text;
}

std::string describe(const Shape& shape) { return fmt::format("{} x {} k={}", shape.rows, shape.width, shape.k); }

std::string describe(const Cell& cell) {
  std::string text =
      fmt::format("{}: {}, {}; {}", cell.implementation, describe(cell.shape), cell.distribution, describe(cell.setup));
  if (cell.route_asked != kAuto) text += fmt::format(", route {}", cell.route_asked);
  if (cell.split_asked != kAuto) text += fmt::format(", split {}", cell.split_asked);
  if (cell.threads_asked != kAuto) text += fmt::format(", threads {}", cell.threads_asked);
  return text;
}

std::string route_label(const Cell& cell) {
  const std::string& route = cell.route_taken.empty() ? cell.route_asked : cell.route_taken;
  return cell.split > 1 ? fmt::format("{} {}", route, cell.split) : route;
}

double ratio_to_floor(const Cell& cell) {
  const double ratio = cell.median_us / cell.floor_us;
  return std::isnan(ratio) ? cell.ratio_to_floor : ratio;
}

double ratio_to_read_floor(const Cell& cell) {
  const double ratio = cell.median_us / cell.read_floor_us;
  return std::isnan(ratio) ? cell.ratio_to_read_floor : ratio;
}

}  // namespace keysieve::report

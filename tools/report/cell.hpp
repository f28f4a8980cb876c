// A measured or unmeasured cell of a bench result, as docs/results-format.md names it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

#include "report/json_field.hpp"

namespace keysieve::report {

inline constexpr const char* kKeysieve = "keysieve";
inline constexpr const char* kAuto = "auto";
// Scores of N(0,1): the distribution that the others are held against.
inline constexpr const char* kNormal = "normal";

// A cell whose two timings differ by more says little about the last percents.
inline constexpr double kNoisy = 0.03;

struct Shape {
  std::int64_t rows = 0;
  std::int64_t width = 0;
  std::int64_t k = 0;
  auto operator<=>(const Shape&) const = default;
};

// What was asked for besides the shape, the scores and who answers. Only cells of one setup are compared.
struct Setup {
  std::string mode = {}, dtype = {}, lengths = {}, order = {}, output = {}, chain = {}, hint = {};
  bool values = false;
  std::int64_t busy_sms = 0;
  std::int64_t capacity = 0;  // columns of the buffer; 0 where it is as wide as the rows
  bool operator==(const Setup&) const = default;
};

// "warm, float32, ragged lengths, order any", and then what is out of the ordinary.
std::string describe(const Setup& setup);

struct Cell {
  std::size_t file = 0;  // index into the report's files
  Setup setup;
  Shape shape;
  std::string distribution, implementation;
  std::string route_asked, split_asked, threads_asked;
  std::string reason;  // of a cell without a result

  std::string route_taken;
  std::int64_t split = 0, threads = 0;
  std::int64_t checked_rows = 0, wrong_rows = 0;
  std::string fault;
  double median_us = kNotGiven, p10_us = kNotGiven, p90_us = kNotGiven;
  double floor_us = kNotGiven, read_floor_us = kNotGiven;
  double ratio_to_floor = kNotGiven, ratio_to_read_floor = kNotGiven;
  double noise = kNotGiven;
  double gb_per_s = kNotGiven;
  double max_second_reads = kNotGiven, mean_compactions = kNotGiven;

  bool is_ours() const { return implementation == kKeysieve; }
  bool is_automatic() const {
    return is_ours() && route_asked == kAuto && split_asked == kAuto && threads_asked == kAuto;
  }
  bool is_wrong() const { return wrong_rows > 0; }
  // Behind a writer the time is a difference and may come out as nothing: such a cell is shown, never compared.
  bool has_time() const { return median_us > 0; }
  // Fit to be held against another cell: a wrong answer has no speed.
  bool counts() const { return has_time() && !is_wrong(); }
  bool is_noisy() const { return noise > kNoisy; }
};

// "1024 x 131072 k=512"
std::string describe(const Shape& shape);
// Everything that tells this cell from its neighbours, for lists of faults.
std::string describe(const Cell& cell);
// "split 8" where a row is shared, else the name of the route.
std::string route_label(const Cell& cell);

// Ratios are made from the times where both are there; the file's own ratio stands in where a floor is missing.
double ratio_to_floor(const Cell& cell);
double ratio_to_read_floor(const Cell& cell);

enum class Kind { kMeasured, kUnmeasured };
Cell read_cell(const Field& field, std::size_t file, Kind kind);

}  // namespace keysieve::report

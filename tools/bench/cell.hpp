// What is measured: one selection, as it was asked for.
#pragma once

#include <cstdint>
#include <string>

#include "bench/names.hpp"
#include "keysieve/types.hpp"

namespace keysieve::bench {

struct Cell {
  std::int64_t rows = 0;
  std::int64_t width = 0;     // the longest row
  std::int64_t capacity = 0;  // columns of the buffer, >= width: what a captured graph would plan for
  std::int64_t k = 0;
  ScoreType dtype = ScoreType::kFloat32;
  Distribution distribution = Distribution::kNormal;
  Lengths lengths;
  Mode mode = Mode::kWarm;
  SlotOrder order = SlotOrder::kAny;
  IndexMode output = IndexMode::kRaw;
  bool values = false;
  Chain chain = Chain::kAlone;
  std::int32_t busy_sms = 0;
  Hint hint = Hint::kNone;
  Route route = Route::kAuto;
  std::int32_t split = kAuto;
  std::int32_t threads = kAuto;

  auto operator<=>(const Cell&) const = default;
};

// For messages: the shape, and of the rest what is not the default.
std::string describe(const Cell& cell);

SelectProblem problem_of(const Cell& cell, Backend backend);

// Elements from row to row: the capacity, rounded up to 16 bytes.
std::int64_t row_stride(const Cell& cell);
std::int64_t score_bytes(const Cell& cell);

// Every selection through pages uses pages of this many slots.
inline constexpr std::int64_t kPageSize = 64;
std::int64_t page_columns(const Cell& cell);

// Where the outputs of a cell lie in one block of memory; regions begin at multiples of 256 bytes.
struct OutputLayout {
  std::int64_t raw_offset = 0;     // mode dual
  std::int64_t values_offset = 0;  // where values are asked for
  std::int64_t total_bytes = 0;
};
OutputLayout output_layout(const Cell& cell);

// 4-byte words that a row's outputs take, and that the floor therefore writes.
std::int64_t output_words_per_row(const Cell& cell);

}  // namespace keysieve::bench

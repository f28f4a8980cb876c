#include "cases/toolchain_table.hpp"

#include <array>
#include <string>
#include <utility>

namespace keysieve::cases {
namespace {

// Switch points of the default CudaTuning for float32 on an H200.
constexpr std::int64_t kTileColumns = 16384;      // twice as many are the longest row of route tile
constexpr std::int64_t kEightCtaColumns = 32768;  // from here a share of 4,096 columns leaves room for 8 CTAs
constexpr std::int64_t kLongColumns = 131072;     // from here clusters may take every SM
constexpr std::int64_t kSixteenCtaColumns = 524288;
constexpr std::int64_t kWideColumns = 1 << 21;

// And of its built-in table: the longest row of route tile in large batches, the smallest share of a CTA of route
// split.
constexpr std::int64_t kTunedTileColumns = 8192;
constexpr std::int64_t kTunedShareColumns = 17856;
// Rows, and the widest ones that lie in the registers of a cluster of 2, 4, 8 and 16.
constexpr std::pair<std::int64_t, std::int64_t> kTunedTiles[] = {{60, 32768}, {30, 65536}, {8, 131072}, {1, 262144}};
// Most rows that still get clusters of 2 and 8 of route split, where they are too long for that.
constexpr std::pair<std::int64_t, std::int64_t> kTunedRows[] = {{60, 40961}, {15, 150001}};

struct Shape {
  const char* group;
  std::int64_t rows;
  std::int64_t width;
  std::vector<std::int32_t> lengths = {};  // empty: every row reaches to the end
  ScoreType type = ScoreType::kFloat32;
};

class Table {
 public:
  // Values, slot orders and outputs turn over with the number of the case, by periods without a common divisor.
  void add(const Shape& shape, std::int64_t k, IndexMode mode) {
    constexpr std::array kPatterns = {Pattern::kGauss, Pattern::kUlpShuffled, Pattern::kRelu, Pattern::kFewValues,
                                      Pattern::kClusters};
    constexpr std::array kOrders = {SlotOrder::kIndex, SlotOrder::kScore, SlotOrder::kAny};
    SelectCase spec;
    spec.rows = shape.rows;
    spec.width = shape.width;
    spec.k = k;
    spec.score_type = shape.type;
    spec.pattern.kind = kPatterns[cases_.size() % kPatterns.size()];
    if (spec.pattern.kind == Pattern::kClusters) spec.pattern.parameter = k / 80 + 1;
    spec.order = kOrders[cases_.size() / kPatterns.size() % kOrders.size()];
    spec.mode = mode;
    spec.page_fill = PageFill::kIdentity;
    if (!shape.lengths.empty()) {
      spec.length_kind = LengthKind::kExplicit;
      spec.lengths = shape.lengths;
    }
    spec.name = "toolchain/" + std::string(shape.group) + "/" + std::to_string(shape.rows) + "x" +
                std::to_string(shape.width) + "/k" + std::to_string(k);
    if (!shape.lengths.empty()) spec.name += "/length" + std::to_string(shape.lengths.front());
    if (shape.type != ScoreType::kFloat32) spec.name += shape.type == ScoreType::kFloat16 ? "/fp16" : "/bf16";
    cases_.push_back(std::move(spec));
  }

  void add_each_k(const Shape& shape) {
    for (const std::int64_t k : {512, 1024, 2048}) {
      add(shape, k, cases_.size() % 2 == 0 ? IndexMode::kPaged : IndexMode::kRaw);
    }
  }

  std::vector<SelectCase> take() { return std::move(cases_); }

 private:
  std::vector<SelectCase> cases_;
};

std::vector<std::int32_t> equal_lengths(std::int64_t rows, std::int64_t length) {
  return std::vector<std::int32_t>(static_cast<std::size_t>(rows), static_cast<std::int32_t>(length));
}

// Lengths just above and below a cluster's floor, beside short rows, in one launch.
void add_reported(Table& table) {
  table.add_each_k({"reported", 8, 40960, {32767, 32768, 32769, 33000, 2000, 12000, 16385, 1000}});
}

void add_width_switches(Table& table) {
  for (const std::int64_t width : {kTileColumns, kEightCtaColumns, kLongColumns, kSixteenCtaColumns, kWideColumns}) {
    for (const std::int64_t step : {-1, 0, 1}) table.add_each_k({"width", 1, width + step});
  }
  table.add_each_k({"width", 2, kWideColumns});
}

// Rows at which the planner takes 16, 8, 4 or 2 CTAs a row, or none.
void add_row_switches(Table& table) {
  for (const std::int64_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 18, 31, 32, 33, 34, 35}) {
    table.add_each_k({"rows", rows, 40960});
  }
  for (const std::int64_t rows : {7, 8, 9, 15, 16, 17, 32, 33, 34}) table.add_each_k({"rows", rows, kLongColumns});
  for (const std::int64_t rows : {3, 7, 8}) table.add_each_k({"rows", rows, kSixteenCtaColumns});
}

void add_tuned_switches(Table& table) {
  for (const std::int64_t step : {0, 1}) {
    table.add_each_k({"tuned", 265, kTunedTileColumns + step});
    table.add_each_k({"tuned", 133, 2 * kTunedTileColumns + step});
    table.add_each_k({"tuned", 134, 20000 + step});  // sieve
    for (const auto& [rows, width] : kTunedTiles) table.add_each_k({"tuned", rows, width + step});
    for (const auto& [rows, width] : kTunedRows) table.add_each_k({"tuned", rows + step, width});
    table.add_each_k({"tuned", 2, 16 * kTunedShareColumns - 1 + step});
  }
}

// Live lengths at the switch points, in a buffer that goes beyond them.
void add_length_floors(Table& table) {
  for (const std::int64_t step : {-1, 0, 1}) {
    for (const std::int64_t rows : {1, 2, 4, 8, 12, 16, 24, 31}) {
      table.add_each_k({"floor", rows, 20480, equal_lengths(rows, kTileColumns + step)});
    }
    for (const std::int64_t rows : {1, 3, 5, 7, 8, 9, 16, 31}) {
      table.add_each_k({"floor", rows, 40960, equal_lengths(rows, kEightCtaColumns + step)});
    }
  }
}

// Rows that end one column before and behind the share of one of eight CTAs.
void add_share_edges(Table& table) {
  constexpr std::int32_t kShare = 65536 / 8;
  for (std::int32_t shares = 1; shares <= 8; ++shares) {
    const std::int32_t edge = shares * kShare;
    table.add_each_k({"share", 2, 65536, {edge - 1, shares == 8 ? edge : edge + 1}});
  }
}

void add_controls(Table& table) {
  for (const std::int64_t width :
       {1, 31, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 8191, 8192, 8193, 12000, 16384}) {
    for (const std::int64_t rows : {4, 40}) table.add_each_k({"control", rows, width});
  }
  // More rows than clusters of two that get an SM for each of their CTAs.
  for (const std::int64_t width : {16385, 20000, 32768, 40961, 65536}) table.add_each_k({"control", 34, width});
  for (const std::int64_t width : {16385, 20000}) table.add_each_k({"control", 40, width});
}

void add_short_types(Table& table) {
  for (const ScoreType type : {ScoreType::kBFloat16, ScoreType::kFloat16}) {
    for (const std::int64_t width : {32768, 32769, 65536}) {  // the first is the longest row of route tile
      for (const std::int64_t rows : {1, 8, 17}) table.add_each_k({"type", rows, width, {}, type});
    }
  }
}

void add_other_k(Table& table) {
  for (const auto& [rows, width] :
       {std::pair{8, 40960}, std::pair{1, 131072}, std::pair{4, 8192}, std::pair{34, 16385}}) {
    for (const std::int64_t k :
         {1, 2, 3, 31, 32, 33, 255, 256, 257, 511, 513, 1023, 1025, 1535, 2047, 2049, 3000, 4095, 4096, 8192}) {
      table.add({"k", rows, width}, k, IndexMode::kRaw);
    }
  }
}

}  // namespace

std::vector<SelectCase> toolchain_table() {
  Table table;
  add_reported(table);
  add_width_switches(table);
  add_row_switches(table);
  add_tuned_switches(table);
  add_length_floors(table);
  add_share_edges(table);
  add_controls(table);
  add_short_types(table);
  add_other_k(table);
  return table.take();
}

}  // namespace keysieve::cases

#include "cases/case_table.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace keysieve::cases {
namespace {

constexpr std::array kScoreTypes = {ScoreType::kFloat32, ScoreType::kBFloat16, ScoreType::kFloat16};
constexpr std::array kOrders = {SlotOrder::kIndex, SlotOrder::kScore, SlotOrder::kAny};
constexpr std::array kTies = {Ties::kSmallest, Ties::kLargest, Ties::kAny};
constexpr std::array kModes = {IndexMode::kRaw, IndexMode::kOffset, IndexMode::kPaged, IndexMode::kDual};

const char* short_name(ScoreType type) {
  switch (type) {
    case ScoreType::kBFloat16:
      return "bf16";
    case ScoreType::kFloat16:
      return "fp16";
    case ScoreType::kFloat32:
      break;
  }
  return "fp32";
}

std::string shape_name(const SelectCase& spec) {
  return std::to_string(spec.rows) + "x" + std::to_string(spec.width) + "/k" + std::to_string(spec.k) + "/" +
         short_name(spec.score_type);
}

// Options that have no group of their own turn over with the number of the case, by different periods, so that
// most pairs of them meet somewhere.
class Table {
 public:
  void add(const char* group, const std::string& name, SelectCase spec) {
    spec.name = std::string(group) + "/" + name;
    cases_.push_back(std::move(spec));
  }

  template <typename Array>
  auto turn(const Array& options, std::size_t period) const {
    return options[cases_.size() / period % options.size()];
  }

  std::vector<SelectCase> take() { return std::move(cases_); }

 private:
  std::vector<SelectCase> cases_;
};

PatternSpec pattern_of(Pattern kind, std::int64_t width, std::int64_t k) {
  if (kind == Pattern::kPlateau) return {kind, std::min(width, k / 2 + 1), 0};
  return {kind, kind == Pattern::kClusters ? k / 80 + 1 : 0, 0};
}

void add_patterns(Table& table) {
  for (const Pattern kind : kAllPatterns) {
    for (const ScoreType type : kScoreTypes) {
      for (const auto& [width, k] : {std::pair{1031, 64}, std::pair{4099, 512}, std::pair{300, 299}}) {
        SelectCase spec;
        spec.rows = 2;
        spec.width = width;
        spec.k = k;
        spec.score_type = type;
        spec.pattern = pattern_of(kind, width, k);
        spec.order = table.turn(kOrders, 1);
        spec.mask_neg_inf = k == 64;
        spec.nan_policy = k == 299 ? NanPolicy::kHighest : NanPolicy::kLowest;
        table.add("pattern", std::string(name_of(kind)) + "/" + shape_name(spec), spec);
      }
    }
  }
}

// Widths and k around vector, block and power-of-two edges.
void add_shapes(Table& table) {
  constexpr std::array kPatterns = {Pattern::kGauss,  Pattern::kUlpShuffled, Pattern::kFewValues,
                                    Pattern::kNanMix, Pattern::kInfinityMix, Pattern::kUlpAscending,
                                    Pattern::kRelu};
  for (const std::int64_t width :
       {0,   1,   2,   3,   4,   5,   7,   8,   9,    15,   16,   17,   31,   32,   33,   63,   64,   65,
        127, 128, 129, 255, 256, 257, 511, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4095, 4097, 8191, 8193}) {
    for (const std::int64_t k : {1, 2, 3, 16, 33, 64, 100, 512, 1024}) {
      if (k > 2 * width + 64) continue;
      SelectCase spec;
      spec.rows = 1 + static_cast<std::int64_t>(table.turn(std::array{0, 1, 2, 4}, 1));
      spec.width = width;
      spec.k = k;
      spec.score_type = table.turn(kScoreTypes, 1);
      spec.order = table.turn(kOrders, 2);
      spec.ties = table.turn(kTies, 5);
      spec.pattern = {table.turn(kPatterns, 1), 0, static_cast<std::uint32_t>(width)};
      table.add("shape", shape_name(spec), spec);
    }
  }
}

void add_options(Table& table) {
  constexpr std::array kPatterns = {Pattern::kNanMix, Pattern::kInfinityMix, Pattern::kSignedZeros, Pattern::kExtremes,
                                    Pattern::kMostlyNegativeInfinity};
  for (const SlotOrder order : kOrders) {
    for (const Ties ties : kTies) {
      for (const NanPolicy nan : {NanPolicy::kLowest, NanPolicy::kHighest}) {
        for (const bool mask : {false, true}) {
          for (const Pattern kind : kPatterns) {
            SelectCase spec;
            spec.rows = 9;
            spec.width = 260;
            spec.k = 40;
            spec.length_kind = LengthKind::kEdges;
            spec.pattern = {kind, 0, 50};
            spec.order = order;
            spec.ties = ties;
            spec.nan_policy = nan;
            spec.mask_neg_inf = mask;
            spec.score_type = table.turn(kScoreTypes, 1);
            spec.check_nan = table.turn(std::array{false, true}, 3);
            spec.want_values = ties == Ties::kAny || table.turn(std::array{true, false}, 7);
            spec.want_counts = table.turn(std::array{true, true, false}, 4);
            spec.want_error_word = table.turn(std::array{true, true, true, false}, 1);
            table.add("option",
                      std::string(name_of(kind)) + "/order" + std::to_string(static_cast<int>(order)) + "/ties" +
                          std::to_string(static_cast<int>(ties)) + "/nan" + std::to_string(static_cast<int>(nan)) +
                          (mask ? "/masked/" : "/") + short_name(spec.score_type),
                      spec);
          }
        }
      }
    }
  }
}

void add_windows(Table& table) {
  for (const LengthKind lengths : {LengthKind::kNone, LengthKind::kFull, LengthKind::kRagged, LengthKind::kShort,
                                   LengthKind::kEdges, LengthKind::kExtreme}) {
    for (const StartKind starts :
         {StartKind::kNone, StartKind::kZero, StartKind::kUnaligned, StartKind::kPacked, StartKind::kEdges}) {
      for (const bool ends : {false, true}) {
        if (ends && lengths == LengthKind::kNone) continue;
        for (const std::int32_t next_n : {1, 3}) {
          SelectCase spec;
          spec.rows = 12;  // every kind of edge once
          spec.width = next_n == 1 ? 517 : 1203;
          spec.k = 70;
          spec.length_kind = lengths;
          spec.start_kind = starts;
          spec.as_row_ends = ends;
          spec.next_n = next_n;
          spec.length_spacing = ends ? 1 : table.turn(std::array{1, 1, 2, 4}, 1);
          spec.score_type = table.turn(kScoreTypes, 1);
          spec.row_padding = table.turn(std::array{0, 3, 8, 131}, 1);
          spec.misalignment = table.turn(std::array{0, 1, 3}, 2);
          spec.order = table.turn(kOrders, 2);
          spec.pattern = {table.turn(std::array{Pattern::kGauss, Pattern::kInfinityMix, Pattern::kFewValues}, 4), 0, 9};
          spec.mode = table.turn(std::array{IndexMode::kRaw, IndexMode::kOffset}, 3);
          table.add("window",
                    std::string("lengths") + std::to_string(static_cast<int>(lengths)) + "/starts" +
                        std::to_string(static_cast<int>(starts)) + (ends ? "/ends" : "") + "/next_n" +
                        std::to_string(next_n),
                    spec);
        }
      }
    }
  }
}

SelectCase paged_case(const Table& table, IndexMode mode, std::int64_t page_size) {
  SelectCase spec;
  spec.rows = 12;
  spec.width = 700;
  spec.k = 50;
  spec.mode = mode;
  spec.page_size = page_size;
  spec.length_kind = table.turn(std::array{LengthKind::kRagged, LengthKind::kEdges}, 1);
  spec.order = table.turn(kOrders, 1);
  spec.score_type = table.turn(kScoreTypes, 2);
  spec.table_padding = table.turn(std::array{0, 5}, 3);
  spec.output_padding = table.turn(std::array{0, 0, 7}, 2);
  spec.pattern = {table.turn(std::array{Pattern::kGauss, Pattern::kUlpShuffled}, 3), 0, 31};
  return spec;
}

void add_pages(Table& table) {
  for (const std::int64_t page_size : {1, 3, 16, 64, 100, 1024}) {
    for (const TableLayout layout :
         {TableLayout::kPerRow, TableLayout::kPerRequest, TableLayout::kMapped, TableLayout::kMappedOutside}) {
      for (const PageFill fill :
           {PageFill::kIdentity, PageFill::kShuffled, PageFill::kShared, PageFill::kBad, PageFill::kOverflow}) {
        const IndexMode mode = table.turn(std::array{IndexMode::kPaged, IndexMode::kDual}, 1);
        SelectCase spec = paged_case(table, mode, page_size);
        spec.table_layout = layout;
        spec.next_n = layout == TableLayout::kPerRequest ? 3 : 1;
        spec.page_fill = fill;
        spec.num_pages_known = fill != PageFill::kOverflow && table.turn(std::array{false, true}, 5);
        spec.narrow_table = table.turn(std::array{false, false, true}, 1);
        spec.index_type = table.turn(std::array{IndexType::kInt32, IndexType::kInt32, IndexType::kInt64}, 1);
        table.add("page",
                  std::string("p") + std::to_string(page_size) + "/layout" + std::to_string(static_cast<int>(layout)) +
                      "/fill" + std::to_string(static_cast<int>(fill)),
                  spec);
      }
    }
  }
  for (const IndexMode mode : kModes) {
    for (const OffsetKind offsets : {OffsetKind::kRowStarts, OffsetKind::kSmall, OffsetKind::kOverflow}) {
      if (mode != IndexMode::kOffset && offsets != OffsetKind::kSmall) continue;
      for (const IndexType index_type : {IndexType::kInt32, IndexType::kInt64}) {
        for (const SlotOrder order : kOrders) {
          SelectCase spec = paged_case(table, mode, 64);
          spec.start_kind = StartKind::kPacked;
          spec.offset_kind = offsets;
          spec.index_type = index_type;
          spec.order = order;
          spec.output_padding = 3;
          table.add("mode",
                    std::to_string(static_cast<int>(mode)) + "/offsets" + std::to_string(static_cast<int>(offsets)) +
                        "/int" + (index_type == IndexType::kInt32 ? "32" : "64") + "/order" +
                        std::to_string(static_cast<int>(order)),
                    spec);
        }
      }
    }
  }
}

void add_alignment(Table& table) {
  for (const ScoreType type : kScoreTypes) {
    for (std::int64_t misalignment = 0; misalignment < 9; ++misalignment) {
      for (const std::int64_t width : {1024, 1025, 1026, 1027, 1029}) {
        SelectCase spec;
        spec.rows = 3;
        spec.width = width;
        spec.k = 100;
        spec.misalignment = misalignment;
        spec.score_type = type;
        spec.start_kind = width == 1029 ? StartKind::kUnaligned : StartKind::kNone;
        spec.pattern.kind = type == ScoreType::kFloat32 ? Pattern::kUlpShuffled : Pattern::kHalfShuffled;
        table.add("alignment", std::string("base") + std::to_string(misalignment) + "/" + shape_name(spec), spec);
      }
    }
  }
}

void add_long_rows(Table& table) {
  constexpr std::array kPatterns = {Pattern::kGauss,       Pattern::kUlpAscending, Pattern::kUlpDescending,
                                    Pattern::kUlpShuffled, Pattern::kConstant,     Pattern::kRelu,
                                    Pattern::kInfinityMix, Pattern::kNanMix,       Pattern::kOnePeak,
                                    Pattern::kLowBits,     Pattern::kPlateau,      Pattern::kStep};
  for (const Pattern kind : kPatterns) {
    for (const auto& [width, k] : {std::pair{16385, 512}, std::pair{65536, 2048}, std::pair{40000, 10000}}) {
      SelectCase spec;
      spec.rows = 2;
      spec.width = width;
      spec.k = k;
      spec.score_type = table.turn(kScoreTypes, 1);
      spec.order = table.turn(kOrders, 1);
      spec.ties = table.turn(kTies, 2);
      spec.pattern = pattern_of(kind, width, k);
      table.add("long", std::string(name_of(kind)) + "/" + shape_name(spec), spec);
    }
  }
  // Rows whose sample holds twice its share of the best columns: the first cutoff is then too high and has to be
  // taken back. About one row in eight of the short ones and one in fifteen of the long ones does it.
  for (const ScoreType type : kScoreTypes) {
    for (const Ties ties : {Ties::kSmallest, Ties::kLargest}) {
      for (const auto& [rows, width, k, runs] : {std::array{80, 8192, 100, 1}, std::array{30, 65536, 512, 6}}) {
        if (width == 65536 && type != ScoreType::kFloat32) continue;
        SelectCase spec;
        spec.rows = rows;
        spec.width = width;
        spec.k = k;
        spec.score_type = type;
        spec.ties = ties;
        spec.pattern = {Pattern::kClusters, runs, 0};
        table.add("sample", std::string("ties") + std::to_string(static_cast<int>(ties)) + "/" + shape_name(spec),
                  spec);
      }
    }
  }
  SelectCase many;
  many.rows = 1000;
  many.width = 64;
  many.k = 8;
  many.length_kind = LengthKind::kRagged;
  table.add("long", "many_short_rows/" + shape_name(many), many);
}

void add_empty(Table& table) {
  for (const IndexMode mode : kModes) {
    for (const auto& [rows, width] : {std::pair{0, 4096}, std::pair{3, 0}, std::pair{0, 0}}) {
      SelectCase spec;
      spec.rows = rows;
      spec.width = width;
      spec.k = 5;
      spec.mode = mode;
      spec.length_kind = LengthKind::kFull;
      table.add("empty", std::string("mode") + std::to_string(static_cast<int>(mode)) + "/" + shape_name(spec), spec);
    }
  }
}

}  // namespace

std::vector<SelectCase> case_table() {
  Table table;
  add_patterns(table);
  add_shapes(table);
  add_options(table);
  add_windows(table);
  add_pages(table);
  add_alignment(table);
  add_long_rows(table);
  add_empty(table);
  return table.take();
}

}  // namespace keysieve::cases

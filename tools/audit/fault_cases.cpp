// Shapes and values that have broken other implementations, by the ids of tests/faults: what of those tests is plain
// data. The tests beside them hold the rest: guard pages, huge buffers, calls that follow one another.
#include <string>
#include <utility>
#include <vector>

#include "audit/families.hpp"

namespace keysieve::audit {
namespace {

using cases::AttackKind;
using cases::LengthKind;
using cases::PageFill;
using cases::Pattern;
using cases::SelectCase;
using cases::StartKind;
using cases::TableLayout;

SelectCase full(const char* id, std::int64_t rows, std::int64_t width, std::int64_t k, Pattern pattern) {
  SelectCase spec;
  spec.name = std::string("faults/") + id;
  spec.rows = rows;
  spec.width = width;
  spec.k = k;
  spec.pattern.kind = pattern;
  spec.length_kind = LengthKind::kFull;
  return spec;
}

SelectCase with_lengths(SelectCase spec, std::vector<std::int32_t> lengths) {
  spec.length_kind = LengthKind::kExplicit;
  spec.rows = static_cast<std::int64_t>(lengths.size());
  spec.lengths = std::move(lengths);
  return spec;
}

void add_overflows(std::vector<SelectCase>& table) {
  for (const std::int64_t width : {3709, 4097, 8193, 16384, 16385, 16512, 65536}) {
    for (const Pattern pattern : {Pattern::kUlpAscending, Pattern::kUlpShuffled, Pattern::kBand1}) {
      for (const std::int64_t k : {512, 2048}) table.push_back(full("R01", 2, width, k, pattern));
    }
  }
  for (const std::int64_t width : {30938, 65504, 262144}) {
    table.push_back(full("R02", 1, width, 512, Pattern::kUlpShuffled));
  }
  for (const std::int64_t winners : {100, 500}) {
    SelectCase spec = full("R04", 1, 8320, 2048, Pattern::kPlateau);
    spec.pattern.parameter = winners;
    table.push_back(spec);
  }
  table.push_back(full("R04", 1, 8320, 2048, Pattern::kConstant));
  table.push_back(full("R04", 1, 8320, 2048, Pattern::kManyInfinities));
  for (const std::int64_t width : {16384, 16448, 32768}) {
    SelectCase spec = full("R06", 2, width, 2048, Pattern::kUlpAscending);
    spec.mode = IndexMode::kPaged;
    spec.page_fill = PageFill::kIdentity;
    table.push_back(spec);
  }
  for (const std::int64_t k : {4096, 8192, 16384}) {
    table.push_back(full("R08", 1, 32768, k, Pattern::kConstant));
    SelectCase spec = full("R08", 1, 32768, k, Pattern::kPlateau);
    spec.pattern.parameter = 3;
    table.push_back(spec);
  }
  // An outlier that stretches the range over everything else.
  for (const ScoreType type : {ScoreType::kFloat16, ScoreType::kBFloat16, ScoreType::kFloat32}) {
    SelectCase spec = full("R10", 2, 8192, 512, Pattern::kOnePeak);
    spec.score_type = type;
    table.push_back(spec);
  }
  table.push_back(full("R12", 40, 8193, 512, Pattern::kUlpShuffled));
}

void add_values(std::vector<SelectCase>& table) {
  for (const ScoreType type : {ScoreType::kFloat32, ScoreType::kBFloat16, ScoreType::kFloat16}) {
    for (const std::int64_t width : {4096, 20000}) {
      const auto add = [&](const char* id, Pattern pattern, AttackKind attack, NanPolicy nan) {
        SelectCase spec = full(id, 2, width, 512, pattern);
        spec.score_type = type;
        spec.attack = attack;
        spec.nan_policy = nan;
        table.push_back(spec);
      };
      add("R13", Pattern::kNanMix, AttackKind::kNone, NanPolicy::kLowest);
      add("R13", Pattern::kAllNan, AttackKind::kNone, NanPolicy::kHighest);
      add("R17", Pattern::kNegatives, AttackKind::kNone, NanPolicy::kLowest);
      add("R18", Pattern::kGauss, AttackKind::kNanFlood, NanPolicy::kLowest);
      add("R20", Pattern::kGauss, AttackKind::kInfinityFlood, NanPolicy::kLowest);
      add("R22", Pattern::kInfinityMix, AttackKind::kNone, NanPolicy::kLowest);
      add("R22", Pattern::kAllNegativeInfinity, AttackKind::kNone, NanPolicy::kLowest);
      add("R23", Pattern::kNanMix, AttackKind::kNone, NanPolicy::kHighest);
      add("R94", Pattern::kFewValues, AttackKind::kUlpsAtCutoff, NanPolicy::kLowest);
    }
  }
  // NaN outside the row, where a window ends between vectors.
  for (const std::int64_t misalignment : {0, 1, 3}) {
    SelectCase spec = full("R14", 6, 2051, 512, Pattern::kGauss);
    spec.misalignment = misalignment;
    spec.length_kind = LengthKind::kRagged;
    spec.start_kind = StartKind::kUnaligned;
    spec.nan_policy = NanPolicy::kHighest;
    table.push_back(spec);
  }
}

void add_lengths(std::vector<SelectCase>& table) {
  for (const std::int64_t k : {512, 2048}) {
    const auto slots = static_cast<std::int32_t>(k);
    table.push_back(with_lengths(full("R24", 1, 8192, k, Pattern::kGauss), {-3, -1, 0, 1, 8192, -4, 2, 700}));
    table.push_back(
        with_lengths(full("R26", 1, 16384, k, Pattern::kUlpShuffled), {slots - 1, slots, slots + 1, 16384}));
    table.push_back(with_lengths(full("R28", 1, 32768, k, Pattern::kGauss), {1, 2, 3, 31, 32, 33, slots, 32768}));
    SelectCase padded = with_lengths(full("R29", 1, 4096, k, Pattern::kGauss), {0, 3, 17, 4096, 5000, 1, 4095, 64});
    padded.mode = IndexMode::kPaged;
    table.push_back(padded);
  }
  SelectCase drafts = full("R33", 12, 9000, 512, Pattern::kGauss);
  drafts.next_n = 4;
  drafts.length_kind = LengthKind::kRagged;
  drafts.length_spacing = 3;
  table.push_back(drafts);
}

void add_layouts(std::vector<SelectCase>& table) {
  for (const std::int64_t padding : {1, 3, 8}) {
    SelectCase spec = full("R34", 4, 4099, 512, Pattern::kUlpShuffled);
    spec.row_padding = padding;
    spec.misalignment = padding % 4;
    spec.output_padding = padding;
    spec.start_kind = StartKind::kUnaligned;
    table.push_back(spec);
    spec.name = "faults/R37";
    spec.start_kind = StartKind::kPacked;
    spec.mode = IndexMode::kOffset;
    spec.width = 20000;
    table.push_back(spec);
  }
  for (const PageFill fill : {PageFill::kIdentity, PageFill::kBad, PageFill::kOverflow, PageFill::kShared}) {
    for (const TableLayout layout : {TableLayout::kPerRow, TableLayout::kMapped, TableLayout::kMappedOutside}) {
      SelectCase spec = full("R80", 9, 5000, 600, Pattern::kGauss);
      spec.mode = fill == PageFill::kBad ? IndexMode::kDual : IndexMode::kPaged;
      spec.page_fill = fill;
      spec.table_layout = layout;
      spec.narrow_table = layout == TableLayout::kMappedOutside;
      spec.length_kind = LengthKind::kEdges;
      table.push_back(spec);
    }
  }
  table.push_back(full("R84", 0, 8192, 512, Pattern::kGauss));
  table.push_back(full("R98", 70000, 8, 4, Pattern::kFewValues));
  table.push_back(full("R100", 0, 0, 64, Pattern::kGauss));
  table.push_back(full("R100", 3, 0, 64, Pattern::kGauss));
}

}  // namespace

std::vector<SelectCase> fault_cases() {
  std::vector<SelectCase> table;
  add_overflows(table);
  add_values(table);
  add_lengths(table);
  add_layouts(table);
  return table;
}

}  // namespace keysieve::audit

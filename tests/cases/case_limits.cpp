// Which cases can be built and judged.
#include <limits>
#include <string>

#include "cases/case_text.hpp"

namespace keysieve::cases {
namespace {

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
// Of scores or of slots: far beyond every test, and small enough for the arithmetic.
constexpr std::int64_t kMostElements = std::int64_t{1} << 36;

struct Range {
  const char* field;
  std::int64_t value, low, high;
};

std::string fault_text(const char* field, const std::string& expected, std::int64_t found) {
  return std::string(field) + ": expected " + expected + ", found " + std::to_string(found);
}

std::string range_fault(const SelectCase& spec) {
  const Range ranges[] = {
      {"rows", spec.rows, 0, kMaxInt32},
      {"width", spec.width, 0, kMaxInt32},
      {"k", spec.k, 1, kMaxInt32},
      {"parameter", spec.pattern.parameter, 0, kMaxInt32},
      {"attack_samples", spec.attack_samples, 0, 1 << 15},
      {"row_padding", spec.row_padding, 0, kMaxInt32},
      {"misalignment", spec.misalignment, 0, 1 << 20},
      {"as_row_ends", spec.as_row_ends ? 1 : 0, 0, 1},
      {"length_spacing", spec.length_spacing, 1, 1 << 20},
      {"next_n", spec.next_n, 1, 1 << 20},
      {"page_size", spec.page_size, 1, kMaxInt32},
      {"table_padding", spec.table_padding, 0, 1 << 20},
      {"output_padding", spec.output_padding, 0, 1 << 20},
  };
  for (const Range& range : ranges) {
    if (range.value < range.low || range.value > range.high) {
      return fault_text(range.field, std::to_string(range.low) + " to " + std::to_string(range.high), range.value);
    }
  }
  return {};
}

}  // namespace

std::string case_fault(const SelectCase& spec) {
  if (std::string fault = range_fault(spec); !fault.empty()) return fault;
  if (spec.rows % spec.next_n != 0) return fault_text("rows", "a multiple of next_n", spec.rows);
  if (spec.rows * (spec.width + spec.row_padding) > kMostElements) {
    return fault_text("width", "at most 2^36 scores in all rows", spec.width);
  }
  if (spec.rows * (spec.k + spec.output_padding) > kMostElements) {
    return fault_text("k", "at most 2^36 slots in all rows", spec.k);
  }
  const auto entries = [&spec](const char* field, bool is_explicit, std::size_t size) {
    const auto wanted = is_explicit ? static_cast<std::size_t>(spec.rows) : 0;
    return size == wanted ? std::string()
                          : fault_text(field, std::to_string(wanted) + " entries", static_cast<std::int64_t>(size));
  };
  std::string fault = entries("lengths", spec.length_kind == LengthKind::kExplicit, spec.lengths.size());
  if (fault.empty()) fault = entries("starts", spec.start_kind == StartKind::kExplicit, spec.starts.size());
  if (!fault.empty() || spec.ties != Ties::kAny) return fault;
  // Free ties are judged by the positions, which have to show.
  if (spec.mode == IndexMode::kPaged) return "ties: expected a mode that shows positions, found any with mode paged";
  if (spec.mode == IndexMode::kOffset && spec.offset_kind == OffsetKind::kOverflow) {
    return "ties: expected offsets that fit, found any with offset_kind overflow";
  }
  return {};
}

}  // namespace keysieve::cases

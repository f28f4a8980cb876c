#include "cases/windows.hpp"

#include <algorithm>
#include <limits>

namespace keysieve::cases {
namespace {

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMinInt32 = std::numeric_limits<std::int32_t>::min();

std::int32_t clamp_int32(std::int64_t value) {
  return static_cast<std::int32_t>(std::clamp(value, kMinInt32, kMaxInt32));
}

}  // namespace

std::int32_t length_of_kind(const SelectCase& spec, std::int64_t row) {
  const std::int64_t width = spec.width, k = spec.k;
  const std::uint32_t hash = hash32(static_cast<std::uint32_t>(row), 0, 17);
  switch (spec.length_kind) {
    case LengthKind::kNone:
    case LengthKind::kFull:
      return clamp_int32(width);
    case LengthKind::kRagged:
      return clamp_int32(width - static_cast<std::int64_t>(hash % 1000u) * (width / 5) / 1000);
    case LengthKind::kShort:
      return clamp_int32(static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(k + 1)));
    case LengthKind::kEdges: {
      const std::int64_t edges[] = {-4, -1, 0, 1, k - 1, k, k + 1, width - 1, width};
      return clamp_int32(edges[row % 9]);
    }
    case LengthKind::kExtreme: {
      const std::int64_t extremes[] = {kMinInt32, kMaxInt32, width + 1, -1, width};
      return clamp_int32(extremes[row % 5]);
    }
    case LengthKind::kExplicit:
      return spec.lengths[static_cast<std::size_t>(row)];
  }
  return 0;
}

std::int32_t start_of_kind(const SelectCase& spec, std::int64_t row) {
  const std::int64_t width = spec.width;
  switch (spec.start_kind) {
    case StartKind::kNone:
    case StartKind::kZero:
      return 0;
    case StartKind::kUnaligned: {
      const std::int64_t starts[] = {1, 2, 3, 5, 7, 9};
      return clamp_int32(std::min(starts[row % 6], width));
    }
    case StartKind::kPacked:
      return clamp_int32(row * width / (spec.rows + 1));
    case StartKind::kEdges: {
      const std::int64_t edges[] = {-1, 0, 1, width - 1, width, width + 1, kMinInt32, kMaxInt32};
      return clamp_int32(edges[row % 8]);
    }
    case StartKind::kExplicit:
      return spec.starts[static_cast<std::size_t>(row)];
  }
  return 0;
}

Window window_of(const CaseInputs& inputs, std::int64_t row) {
  const SelectArgs args = inputs.args();
  const std::int64_t width = inputs.spec().width;
  Window window;
  if (args.row_to_table != nullptr && args.row_to_table[row] == -1) return window;
  window.start = args.row_starts == nullptr ? 0 : args.row_starts[row];
  if (window.start < 0 || window.start > width) return {0, 0, kErrorStartOutside};
  const std::int64_t room = width - window.start;
  window.n = room;
  if (args.row_ends != nullptr) window.n = args.row_ends[row] - window.start;
  if (args.lengths != nullptr) {
    const bool spaced = args.length_row_stride != kAuto;
    const std::int64_t request = row / args.next_n, draft = row % args.next_n;
    window.n = args.lengths[spaced ? request * args.length_request_stride + draft * args.length_row_stride : row];
  }
  if (window.n < 0 || window.n > room) {
    window.error_bits = kErrorLengthClamped;
    window.n = window.n < 0 ? 0 : room;
  }
  return window;
}

std::int64_t slot_of(const CaseInputs& inputs, std::int64_t row, std::int64_t position, std::uint32_t& error_bits) {
  const SelectArgs args = inputs.args();
  const SelectCase& spec = inputs.spec();
  std::int64_t slot = position;
  if (spec.mode == IndexMode::kOffset) slot = position + args.out_offsets[row];
  if (spec.mode == IndexMode::kPaged || spec.mode == IndexMode::kDual) {
    std::int64_t line = row;
    if (args.row_to_table != nullptr) {
      line = args.row_to_table[row];
    } else if (spec.table_layout == TableLayout::kPerRequest) {
      line = row / spec.next_n;
    }
    const std::int64_t column = position / spec.page_size;
    const std::int64_t stride =
        args.page_table_row_stride == kAuto ? args.page_table_columns : args.page_table_row_stride;
    const bool inside = line >= 0 && line < args.page_table_rows && column < args.page_table_columns;
    const std::int64_t page = inside ? args.page_table[line * stride + column] : -1;
    if (page < 0 || (args.num_pages != kAuto && page >= args.num_pages)) {
      error_bits |= kErrorBadPage;
      return -1;
    }
    slot = page * spec.page_size + position % spec.page_size;
  }
  if (spec.index_type == IndexType::kInt32 && slot > kMaxInt32) {
    error_bits |= kErrorIndexOverflow;
    return -1;
  }
  return slot;
}

}  // namespace keysieve::cases

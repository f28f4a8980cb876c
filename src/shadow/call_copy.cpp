#include "shadow/call_copy.hpp"

#include <algorithm>
#include <limits>

namespace keysieve::shadow {
namespace {

// Places of the single numbers of a row, 4 bytes each.
enum Number : std::size_t { kLength, kStart, kEnd, kOffset, kTableLine, kCount, kNumbers };
constexpr std::size_t kNumberBytes = 4;

// The pitch of a strided copy on CUDA is below 2 GiB; no slot has more than 2^40 bytes.
constexpr std::int64_t kMaxTableStride = std::numeric_limits<std::int32_t>::max() / 4;
constexpr std::int64_t kMaxTableElements = std::int64_t{1} << 38;

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

const std::byte* at(const void* base, std::int64_t bytes) { return static_cast<const std::byte*>(base) + bytes; }

// Sizes of a legal problem: below 2^31 elements of at most 8 bytes.
std::size_t bytes_of(std::int64_t elements, std::int64_t element_bytes) {
  return static_cast<std::size_t>(elements * element_bytes);
}

}  // namespace

CopyLayout::CopyLayout(const SelectProblem& problem, const SelectArgs& args)
    : problem_(problem), args_(args), paged_(problem.mode == IndexMode::kPaged || problem.mode == IndexMode::kDual) {
  const std::int64_t score = size_bytes(problem.score_type), index = size_bytes(problem.index_type);
  std::size_t next = aligned(kNumbers * kNumberBytes);
  const auto take = [&next](std::size_t bytes) {
    const std::size_t offset = next;
    next += aligned(bytes);
    return offset;
  };
  scores_ = take(bytes_of(problem.width, score));
  indices_ = take(bytes_of(problem.k, index));
  if (args.raw_indices != nullptr) raw_indices_ = take(bytes_of(problem.k, index));
  if (args.values != nullptr) values_ = take(bytes_of(problem.k, score));
  if (paged_) {
    // Pages past the width serve no column.
    columns_ = std::min(args.page_table_columns, (problem.width + args.page_size - 1) / args.page_size);
    const std::int64_t lines = whole_table() ? args.page_table_rows : 1;
    copyable_ = lines <= 1 || columns_ == 0 ||
                (args.page_table_row_stride <= kMaxTableStride && lines <= kMaxTableElements / columns_);
    if (!copyable_) return;
    if (whole_table()) {
      table_bytes_ = aligned(bytes_of(lines * columns_, 4));
    } else {
      line_ = take(bytes_of(columns_, 4));
    }
  }
  row_bytes_ = next;
}

std::int64_t CopyLayout::rows_that_fit(std::int64_t slot_bytes) const {
  const auto room = static_cast<std::size_t>(slot_bytes);
  if (!copyable_ || table_bytes_ > room) return 0;
  return static_cast<std::int64_t>((room - table_bytes_) / row_bytes_);
}

std::size_t CopyLayout::row_offset(std::int64_t pick) const {
  return table_bytes_ + static_cast<std::size_t>(pick) * row_bytes_;
}

void CopyLayout::add_table(std::vector<Piece>& pieces) const {
  if (!whole_table() || table_bytes_ == 0) return;
  pieces.push_back({args_.page_table, 0, bytes_of(columns_, 4), static_cast<std::size_t>(args_.page_table_rows),
                    bytes_of(args_.page_table_row_stride, 4)});
}

void CopyLayout::add_row(std::int64_t row, std::int64_t pick, std::vector<Piece>& pieces) const {
  const std::size_t base = row_offset(pick);
  const auto add = [&](const void* array, std::int64_t first_byte, std::size_t offset, std::size_t bytes) {
    if (array != nullptr && bytes > 0) pieces.push_back({at(array, first_byte), base + offset, bytes, 1, bytes});
  };
  const auto number = [&](const std::int32_t* array, std::int64_t element, Number place) {
    add(array, element * 4, place * kNumberBytes, kNumberBytes);
  };
  const std::int64_t score = size_bytes(problem_.score_type), index = size_bytes(problem_.index_type);
  const std::int64_t request = row / args_.next_n, draft = row % args_.next_n;
  number(args_.lengths, request * args_.length_request_stride + draft * args_.length_row_stride, kLength);
  number(args_.row_starts, row, kStart);
  number(args_.row_ends, row, kEnd);
  number(args_.out_offsets, row, kOffset);
  number(args_.row_to_table, row, kTableLine);
  number(args_.counts, row, kCount);
  add(args_.scores, row * args_.score_row_stride * score, scores_, bytes_of(problem_.width, score));
  add(args_.indices, row * args_.indices_row_stride * index, indices_, bytes_of(problem_.k, index));
  add(args_.raw_indices, row * args_.raw_indices_row_stride * index, raw_indices_, bytes_of(problem_.k, index));
  add(args_.values, row * args_.values_row_stride * score, values_, bytes_of(problem_.k, score));
  if (paged_ && !whole_table()) {
    const std::int64_t line = args_.page_table_rows == problem_.rows ? row : request;
    add(args_.page_table, line * args_.page_table_row_stride * 4, line_, bytes_of(columns_, 4));
  }
}

RowView CopyLayout::row_view(std::byte* slot, std::int64_t pick) const {
  std::byte* base = slot + row_offset(pick);
  const auto number = [&](const void* given, Number place) {
    return given != nullptr ? reinterpret_cast<std::int32_t*>(base + place * kNumberBytes) : nullptr;
  };
  RowView view;
  view.problem = problem_;
  view.problem.rows = 1;
  SelectArgs& args = view.args;
  args.scores = base + scores_;
  args.score_row_stride = problem_.width;
  args.length_request_stride = 1;
  args.length_row_stride = 1;
  args.lengths = number(args_.lengths, kLength);
  args.row_starts = number(args_.row_starts, kStart);
  args.row_ends = number(args_.row_ends, kEnd);
  args.out_offsets = number(args_.out_offsets, kOffset);
  args.row_to_table = number(args_.row_to_table, kTableLine);
  args.counts = number(args_.counts, kCount);
  args.indices = base + indices_;
  args.indices_row_stride = problem_.k;
  args.raw_indices = args_.raw_indices != nullptr ? base + raw_indices_ : nullptr;
  args.raw_indices_row_stride = problem_.k;
  args.values = args_.values != nullptr ? base + values_ : nullptr;
  args.values_row_stride = problem_.k;
  if (paged_) {
    args.page_table = reinterpret_cast<const std::int32_t*>(whole_table() ? slot : base + line_);
    args.page_table_rows = whole_table() ? args_.page_table_rows : 1;
    args.page_table_columns = columns_;
    args.page_table_row_stride = columns_;
    args.page_size = args_.page_size;
    args.num_pages = args_.num_pages;
  }
  return view;
}

}  // namespace keysieve::shadow

#include "cases/case_data.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "cases/attacks.hpp"
#include "cases/hints.hpp"
#include "cases/windows.hpp"

namespace keysieve::cases {
namespace {

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMinInt32 = std::numeric_limits<std::int32_t>::min();

std::size_t bytes_for(std::int64_t elements, std::int64_t element_bytes) {
  return static_cast<std::size_t>(std::max<std::int64_t>(elements, 0) * element_bytes);
}

GuardedBuffer int32_buffer(std::int64_t elements) { return GuardedBuffer(bytes_for(elements, 4)); }

bool is_paged(IndexMode mode) { return mode == IndexMode::kPaged || mode == IndexMode::kDual; }

std::int32_t clamp_int32(std::int64_t value) {
  return static_cast<std::int32_t>(std::clamp(value, kMinInt32, kMaxInt32));
}

}  // namespace

CaseInputs::CaseInputs(const SelectCase& spec) : spec_(spec) {
  make_windows();
  make_scores();
  if (spec_.mode == IndexMode::kOffset) make_offsets();
  if (is_paged(spec_.mode)) make_page_table();
  if (spec_.hint != HintKind::kNone) make_hints();
}

void CaseInputs::make_windows() {
  const std::int64_t rows = spec_.rows;
  if (spec_.start_kind != StartKind::kNone) {
    starts_ = int32_buffer(rows);
    for (std::int64_t row = 0; row < rows; ++row) starts_.as<std::int32_t>()[row] = start_of_kind(spec_, row);
  }
  if (spec_.length_kind == LengthKind::kNone) return;
  if (spec_.as_row_ends) {
    ends_ = int32_buffer(rows);
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t start = spec_.start_kind != StartKind::kNone ? start_of_kind(spec_, row) : 0;
      ends_.as<std::int32_t>()[row] = clamp_int32(start + length_of_kind(spec_, row));
    }
    return;
  }
  const std::int64_t spacing = spec_.length_spacing;
  length_request_stride_ = spec_.next_n * spacing + (spacing > 1 ? 1 : 0);
  const std::int64_t requests = rows / spec_.next_n;
  lengths_ =
      int32_buffer(requests == 0 ? 0 : (requests - 1) * length_request_stride_ + (spec_.next_n - 1) * spacing + 1);
  auto* lengths = lengths_.as<std::int32_t>();
  std::fill_n(lengths, lengths_.size() / 4, static_cast<std::int32_t>(kMaxInt32));  // gaps: a decoy length
  for (std::int64_t row = 0; row < rows; ++row) {
    lengths[row / spec_.next_n * length_request_stride_ + row % spec_.next_n * spacing] = length_of_kind(spec_, row);
  }
}

void CaseInputs::make_scores() {
  const std::int64_t element = size_bytes(spec_.score_type);
  const std::int64_t elements = spec_.rows == 0 ? 0 : (spec_.rows - 1) * row_stride() + spec_.width;
  scores_ = GuardedBuffer(bytes_for(elements, element), bytes_for(spec_.misalignment, element));
  const std::uint32_t decoys[] = {bits_of_type(spec_.score_type, std::numeric_limits<double>::infinity()),
                                  bits_of_type(spec_.score_type, std::uint32_t{0x7FC00000}),
                                  bits_of_type(spec_.score_type, 1e30)};
  for (std::int64_t row = 0; row < spec_.rows; ++row) {
    std::byte* scores = scores_.data() + row * row_stride() * element;
    fill_row(spec_.pattern, spec_.score_type, row, spec_.width, scores);
    const Window window = window_of(*this, row);
    const std::int64_t row_end = row + 1 < spec_.rows ? row_stride() : spec_.width;
    for (std::int64_t column = 0; column < row_end; ++column) {
      if (column >= window.start && column < window.start + window.n) {
        column = window.start + window.n - 1;
        continue;
      }
      store_bits(spec_.score_type, scores, column, decoys[(row + column) % 3]);
    }
    if (spec_.attack != AttackKind::kNone) fill_attack(spec_, row, window.n, scores + window.start * element);
  }
}

// After the page table, since a row without a line is empty.
void CaseInputs::make_hints() {
  hints_ = GuardedBuffer(bytes_for(spec_.rows, size_bytes(spec_.score_type)));
  for (std::int64_t row = 0; row < spec_.rows; ++row) {
    store_bits(spec_.score_type, hints_.data(), row, hint_bits(*this, spec_.hint, row));
  }
}

void CaseInputs::make_offsets() {
  offsets_ = int32_buffer(spec_.rows);
  for (std::int64_t row = 0; row < spec_.rows; ++row) {
    std::int64_t offset = 0;
    switch (spec_.offset_kind) {
      case OffsetKind::kRowStarts:
        offset = std::max<std::int64_t>(window_of(*this, row).start, 0);
        break;
      case OffsetKind::kSmall:
        offset = 1000 * row + 7;
        break;
      case OffsetKind::kOverflow:
        offset = kMaxInt32 - (row % 3) * (spec_.width / 2);
        break;
    }
    offsets_.as<std::int32_t>()[row] = clamp_int32(offset);
  }
}

void CaseInputs::make_page_table() {
  const std::int64_t rows = spec_.rows, page_size = spec_.page_size;
  const bool mapped = spec_.table_layout == TableLayout::kMapped || spec_.table_layout == TableLayout::kMappedOutside;
  table_lines_ = rows;
  if (spec_.table_layout == TableLayout::kPerRequest) table_lines_ = rows / spec_.next_n;
  if (mapped) table_lines_ = rows / 2 + 1;
  table_columns_ = (spec_.width + page_size - 1) / page_size;
  if (spec_.narrow_table) table_columns_ /= 2;
  const std::int64_t stride = table_columns_ + spec_.table_padding;
  table_ = int32_buffer(table_lines_ == 0 ? 0 : (table_lines_ - 1) * stride + table_columns_);
  auto* table = table_.as<std::int32_t>();
  std::fill_n(table, table_.size() / 4, static_cast<std::int32_t>(kMaxInt32));  // gaps: a decoy page
  const std::int64_t cache_pages = std::max<std::int64_t>(2 * table_columns_, 2);
  if (spec_.num_pages_known) num_pages_ = cache_pages;
  for (std::int64_t line = 0; line < table_lines_; ++line) {
    for (std::int64_t column = 0; column < table_columns_; ++column) {
      const std::uint32_t hash = hash32(static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(column), 21);
      std::int64_t page = column;
      switch (spec_.page_fill) {
        case PageFill::kIdentity:
          break;
        case PageFill::kShuffled:
          page = (column * 2 + line * 37 + 1) % cache_pages;
          break;
        case PageFill::kShared:
          page = hash % 3u % cache_pages;
          break;
        case PageFill::kBad:
          if (hash % 4u == 0) page = -1 - static_cast<std::int64_t>(hash >> 8);
          if (hash % 4u == 1) page = cache_pages + static_cast<std::int64_t>((hash >> 8) % 2u);
          break;
        case PageFill::kOverflow:
          page = kMaxInt32 / page_size - 1 + hash % 3u;
          break;
      }
      table[line * stride + column] = clamp_int32(page);
    }
  }
  if (!mapped) return;
  row_to_table_ = int32_buffer(rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t line = (row * 5 + 1) % table_lines_;
    if (row % 4 == 3) line = -1;
    if (spec_.table_layout == TableLayout::kMappedOutside) {
      if (row % 4 == 1) line = table_lines_ + (row % 8 == 1 ? 0 : kMaxInt32 - table_lines_);
      if (row % 8 == 2) line = row % 16 == 2 ? -2 : kMinInt32;
    }
    row_to_table_.as<std::int32_t>()[row] = static_cast<std::int32_t>(line);
  }
}

SelectProblem CaseInputs::problem() const {
  SelectProblem problem;
  problem.rows = spec_.rows;
  problem.width = spec_.width;
  problem.k = spec_.k;
  problem.score_type = spec_.score_type;
  problem.index_type = spec_.index_type;
  problem.mode = spec_.mode;
  problem.order = spec_.order;
  problem.ties = spec_.ties;
  problem.nan_policy = spec_.nan_policy;
  problem.mask_neg_inf = spec_.mask_neg_inf ? 1 : 0;
  problem.check_nan = spec_.check_nan ? 1 : 0;
  return problem;
}

SelectArgs CaseInputs::args() const {
  SelectArgs args;
  args.next_n = spec_.next_n;
  args.scores = scores_.data();
  if (spec_.row_padding != 0) args.score_row_stride = row_stride();
  if (spec_.start_kind != StartKind::kNone) args.row_starts = starts_.as<std::int32_t>();
  if (spec_.length_kind != LengthKind::kNone) {
    if (spec_.as_row_ends) {
      args.row_ends = ends_.as<std::int32_t>();
    } else {
      args.lengths = lengths_.as<std::int32_t>();
      if (spec_.length_spacing > 1) {
        args.length_request_stride = length_request_stride_;
        args.length_row_stride = spec_.length_spacing;
      }
    }
  }
  if (spec_.hint != HintKind::kNone) args.hint = hints_.data();
  if (spec_.mode == IndexMode::kOffset) args.out_offsets = offsets_.as<std::int32_t>();
  if (is_paged(spec_.mode)) {
    args.page_table = table_.as<std::int32_t>();
    args.page_table_rows = table_lines_;
    args.page_table_columns = table_columns_;
    if (spec_.table_padding != 0) args.page_table_row_stride = table_columns_ + spec_.table_padding;
    args.page_size = spec_.page_size;
    args.num_pages = num_pages_;
    if (row_to_table_.data() != nullptr && row_to_table_.size() > 0)
      args.row_to_table = row_to_table_.as<std::int32_t>();
  }
  return args;
}

std::uint32_t CaseInputs::score(std::int64_t row, std::int64_t column) const {
  return load_bits(spec_.score_type, scores_.data(), row * row_stride() + column);
}

void CaseInputs::set_score(std::int64_t row, std::int64_t column, std::uint32_t bits) {
  store_bits(spec_.score_type, scores_.data(), row * row_stride() + column, bits);
}

void CaseInputs::set_score(std::int64_t row, std::int64_t column, double value) {
  set_score(row, column, bits_of_type(spec_.score_type, value));
}

void CaseInputs::set_row(std::int64_t row, const PatternSpec& pattern) {
  fill_row(pattern, spec_.score_type, row, spec_.width,
           scores_.data() + row * row_stride() * size_bytes(spec_.score_type));
}

void CaseInputs::set_page(std::int64_t line, std::int64_t column, std::int32_t page) {
  table_.as<std::int32_t>()[line * (table_columns_ + spec_.table_padding) + column] = page;
}

std::uint64_t CaseInputs::checksum() const {
  std::uint64_t sum = 0;
  for (const GuardedBuffer* buffer :
       {&scores_, &lengths_, &starts_, &ends_, &offsets_, &table_, &row_to_table_, &hints_}) {
    sum = std::rotl(sum, 7) ^ buffer->checksum();
  }
  return sum;
}

std::string CaseInputs::damaged() const {
  const std::pair<const char*, const GuardedBuffer*> buffers[] = {
      {"scores", &scores_},   {"lengths", &lengths_},  {"row_starts", &starts_},         {"row_ends", &ends_},
      {"offsets", &offsets_}, {"page_table", &table_}, {"row_to_table", &row_to_table_}, {"hint", &hints_},
  };
  for (const auto& [name, buffer] : buffers) {
    if (const std::string fault = buffer->damaged(); !fault.empty()) return std::string(name) + ": " + fault;
  }
  return {};
}

}  // namespace keysieve::cases

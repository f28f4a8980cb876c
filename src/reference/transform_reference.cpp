#include "reference/transform_reference.hpp"

#include <limits>

namespace keysieve::reference {

std::int64_t offset_slot(std::int64_t position, std::int32_t offset) {
  if (position < 0) return -1;
  return position + offset;
}

std::int64_t paged_slot(std::int64_t position, const PageTable& table, std::int64_t line, std::uint32_t& errors) {
  if (position < 0) return -1;
  const std::int64_t column = position / table.page_size;
  if (line < 0 || line >= table.rows || column >= table.columns) {
    errors |= kErrorBadPage;
    return -1;
  }
  const std::int64_t page = table.pages[line * table.row_stride + column];
  if (page < 0 || (table.num_pages != kAuto && page >= table.num_pages)) {
    errors |= kErrorBadPage;
    return -1;
  }
  return page * table.page_size + position % table.page_size;
}

void store_index(void* out, std::int64_t element, IndexType type, std::int64_t value, std::uint32_t& errors) {
  if (type == IndexType::kInt64) {
    static_cast<std::int64_t*>(out)[element] = value;
    return;
  }
  if (value > std::numeric_limits<std::int32_t>::max()) {
    errors |= kErrorIndexOverflow;
    value = -1;
  }
  static_cast<std::int32_t*>(out)[element] = static_cast<std::int32_t>(value);
}

void transform(const TransformArgs& args) {
  const PageTable table{args.page_table, args.page_table_rows, args.page_table_columns, args.page_table_row_stride,
                        args.page_size,  args.num_pages};
  std::uint32_t errors = 0;
  for (std::int64_t row = 0; row < args.rows; ++row) {
    std::int64_t line = args.page_table_rows == args.rows ? row : row / args.next_n;
    if (args.row_to_table != nullptr) line = args.row_to_table[row];
    const bool empty = args.row_to_table != nullptr && line == -1;
    for (std::int64_t slot = 0; slot < args.k; ++slot) {
      const std::int64_t from = row * args.positions_row_stride + slot;
      std::int64_t position = args.index_type == IndexType::kInt64
                                  ? static_cast<const std::int64_t*>(args.positions)[from]
                                  : static_cast<const std::int32_t*>(args.positions)[from];
      if (empty) position = -1;
      const std::int64_t out = args.mode == IndexMode::kOffset ? offset_slot(position, args.out_offsets[row])
                                                               : paged_slot(position, table, line, errors);
      store_index(args.out, row * args.out_row_stride + slot, args.index_type, out, errors);
    }
  }
  if (args.error_word != nullptr) *args.error_word |= errors;
}

}  // namespace keysieve::reference

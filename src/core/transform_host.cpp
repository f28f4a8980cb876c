#include "core/transform_host.hpp"

#include "core/slot.hpp"

namespace keysieve {
namespace {

template <typename Index>
void transform_rows(const TransformArgs& args) {
  std::uint32_t errors = 0;
  for (std::int64_t row = 0; row < args.rows; ++row) {
    std::int64_t line = args.page_table_rows == args.rows ? row : row / args.next_n;
    bool empty = false;
    if (args.row_to_table != nullptr) {
      line = args.row_to_table[row];
      empty = line == -1;
    }
    const auto* positions = static_cast<const Index*>(args.positions) + row * args.positions_row_stride;
    auto* out = static_cast<Index*>(args.out) + row * args.out_row_stride;
    if (args.mode == IndexMode::kOffset) {
      for (std::int64_t slot = 0; slot < args.k; ++slot) {
        const std::int64_t position = positions[slot];
        out[slot] = empty || position < 0 ? static_cast<Index>(kNoSlot)
                                          : narrow_slot<Index>(position + args.out_offsets[row], errors);
      }
      continue;
    }
    const PageLine pages(args.page_table, args.page_table_rows, args.page_table_columns, args.page_table_row_stride,
                         args.page_size, args.num_pages, line);
    for (std::int64_t slot = 0; slot < args.k; ++slot) {
      const std::int64_t position = positions[slot];
      out[slot] = empty || position < 0 ? static_cast<Index>(kNoSlot)
                                        : narrow_slot<Index>(pages.slot(position, errors), errors);
    }
  }
  if (args.error_word != nullptr) *args.error_word |= errors;
}

}  // namespace

void transform_host(const TransformArgs& args) {
  if (args.index_type == IndexType::kInt32) {
    transform_rows<std::int32_t>(args);
  } else {
    transform_rows<std::int64_t>(args);
  }
}

}  // namespace keysieve

// Context guard and stamps, written apart: from the formulas of kernels.h alone.
#include <algorithm>

#include "helpers/context_guard.hpp"
#include "helpers/selection_stamp.hpp"

namespace keysieve {
namespace {

std::uint64_t finaliser(std::uint64_t value, std::uint64_t column) {
  std::uint64_t x = (value % 0x100000000u) * 0x100000000u + column % 0x100000000u;
  x ^= x / 0x40000000u;
  x *= 0xBF58476D1CE4E5B9u;
  x ^= x / 0x8000000u;
  x *= 0x94D049BB133111EBu;
  x ^= x / 0x80000000u;
  return x;
}

std::int32_t int32_at(const keysieve_tensor& tensor, std::int64_t element) {
  return static_cast<const std::int32_t*>(tensor.data)[element];
}

}  // namespace

void ContextGuard::reference(const Args& args) {
  for (std::int64_t row = 0; row < args.lengths.shape[0]; ++row) {
    const std::int64_t length = int32_at(args.lengths, row);
    if (length > args.max_context && args.call.error_word != nullptr) {
      *args.call.error_word |= KEYSIEVE_ERROR_CONTEXT_EXCEEDED;
    }
    static_cast<std::int32_t*>(args.out.data)[row] =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(length, 0, args.max_context));
  }
}

void SelectionStamp::reference(const Args& args) {
  const std::int64_t rows = args.lengths.shape[0];
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t n = std::max(int32_at(args.lengths, row), 0);
    std::uint64_t stamp = finaliser(static_cast<std::uint64_t>(n), ~std::uint64_t{0});
    if (args.page_table.rank != 0) {
      const std::int64_t lines = args.page_table.shape[0], columns = args.page_table.shape[1];
      std::int64_t line = lines == rows ? row : row / args.next_n;
      if (args.row_to_table.rank != 0) line = int32_at(args.row_to_table, row);
      for (std::int64_t column = 0; column * args.page_size < n; ++column) {
        std::int32_t page = -1;
        if (line >= 0 && line < lines && column < columns) {
          page = int32_at(args.page_table, line * args.page_table.strides[0] + column);
        }
        stamp +=
            finaliser(static_cast<std::uint64_t>(static_cast<std::int64_t>(page)), static_cast<std::uint64_t>(column));
      }
    }
    if (args.expected.rank == 0) {
      static_cast<std::uint64_t*>(args.stamps.data)[row] = stamp;
    } else if (static_cast<const std::uint64_t*>(args.expected.data)[row] != stamp) {
      *args.call.error_word |= KEYSIEVE_ERROR_STALE_SELECTION;
    }
  }
}

}  // namespace keysieve

#include "core/check_transform.hpp"

#include <limits>
#include <string>

#include "core/check_select.hpp"
#include "core/names.hpp"
#include "core/overlap.hpp"

namespace keysieve {
namespace {

Status check_shape(const TransformArgs& args) {
  constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
  const auto out_of_range = [](const char* name, std::int64_t low, std::int64_t high, std::int64_t value) {
    return Status::invalid_argument(std::string(name) + ": expected " + std::to_string(low) + ".." +
                                    std::to_string(high) + ", got " + std::to_string(value));
  };
  if (args.mode != IndexMode::kOffset && args.mode != IndexMode::kPaged) {
    const char* name = name_of(args.mode);
    return Status::invalid_argument(std::string("mode: expected offset or paged, got ") +
                                    (name != nullptr ? name : "a value that is no mode"));
  }
  if (name_of(args.index_type) == nullptr) {
    return out_of_range("index_type", 0, 1, static_cast<std::int32_t>(args.index_type));
  }
  if (args.rows < 0 || args.rows > kMaxInt32) return out_of_range("rows", 0, kMaxInt32, args.rows);
  if (args.k < 1 || args.k > kMaxInt32) return out_of_range("k", 1, kMaxInt32, args.k);
  if (args.next_n < 1 || args.rows % args.next_n != 0) {
    return Status::invalid_argument("next_n: expected a divisor of rows=" + std::to_string(args.rows) + ", got " +
                                    std::to_string(args.next_n));
  }
  return {};
}

}  // namespace

Status resolve_transform_args(const TransformArgs& args, TransformArgs& resolved) {
  resolved = args;
  if (Status status = check_shape(args); !status.ok()) return status;
  if (args.rows == 0) return {};

  const auto missing = [](const char* name) {
    return Status::invalid_argument(std::string(name) + ": expected a pointer, got null");
  };
  if (args.positions == nullptr) return missing("positions");
  if (args.out == nullptr) return missing("out");
  if (args.mode == IndexMode::kOffset && args.out_offsets == nullptr) return missing("out_offsets");
  if (Status status = resolve_row_stride("positions_row_stride", args.rows, args.k, resolved.positions_row_stride);
      !status.ok()) {
    return status;
  }
  if (Status status = resolve_row_stride("out_row_stride", args.rows, args.k, resolved.out_row_stride); !status.ok()) {
    return status;
  }
  if (args.mode == IndexMode::kPaged) {
    if (args.page_table == nullptr && args.page_table_rows != 0 && args.page_table_columns != 0) {
      return missing("page_table");
    }
    const PageTableArgs table{
        resolved.page_table, resolved.page_table_rows, resolved.page_table_columns, resolved.page_table_row_stride,
        resolved.page_size,  resolved.num_pages,       resolved.row_to_table};
    if (Status status = resolve_page_table(table, args.rows, args.next_n); !status.ok()) return status;
  }

  const std::int64_t element = size_bytes(args.index_type);
  const StridedBytes positions{resolved.positions, args.rows, args.k * element,
                               resolved.positions_row_stride * element};
  const StridedBytes out{resolved.out, args.rows, args.k * element, resolved.out_row_stride * element};
  const bool in_place = resolved.out == resolved.positions && resolved.out_row_stride == resolved.positions_row_stride;
  if (!in_place && overlaps(out, positions)) {
    return Status::invalid_argument(
        "out: expected memory of its own or positions itself with the same stride, overlaps positions");
  }
  const auto flat = [](const void* base, std::int64_t bytes) { return StridedBytes{base, 1, bytes, bytes}; };
  const StridedBytes table{resolved.page_table, resolved.page_table_rows, resolved.page_table_columns * 4,
                           resolved.page_table_row_stride * 4};
  const struct {
    const char* name;
    StridedBytes bytes;
  } inputs[] = {{"page_table", table},
                {"out_offsets", flat(resolved.out_offsets, args.rows * 4)},
                {"row_to_table", flat(resolved.row_to_table, args.rows * 4)}};
  for (const auto& input : inputs) {
    if (overlaps(out, input.bytes)) {
      return Status::invalid_argument(std::string("out: expected memory of its own, overlaps input ") + input.name);
    }
  }
  return {};
}

}  // namespace keysieve

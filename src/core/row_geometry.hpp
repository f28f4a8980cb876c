// Which columns of a row are live, and which page-table line serves it: the window rule of the contract,
// read from the caller's arrays in 64-bit arithmetic so that no length or start can wrap.
#pragma once

#include <cstdint>

#include "core/host_device.hpp"
#include "keysieve/types.hpp"

namespace keysieve {

struct RowGeometry {
  std::int64_t start = 0;       // first live column
  std::int64_t length = 0;      // n: live columns, >= 0
  std::int64_t table_line = 0;  // line of the page table; may lie outside it (every page is then bad)
  std::uint32_t error_bits = 0;
};

// What the caller's arrays say of a row. A kernel reads it first and concludes from it later, when it has come.
struct RowRecord {
  std::int64_t table_line;
  std::int32_t start;
  std::int32_t length_or_end;
};

// `args` has its automatic strides resolved (see check_select.hpp).
KEYSIEVE_HOST_DEVICE inline RowRecord read_row_record(const SelectProblem& problem, const SelectArgs& args,
                                                      std::int64_t row) {
  // 64-bit division is a long subroutine on a GPU; decode without drafts needs none.
  const std::int64_t request = args.next_n == 1 ? row : row / args.next_n;
  RowRecord record{args.page_table_rows == problem.rows ? row : request, 0, 0};
  if (args.row_to_table != nullptr) record.table_line = args.row_to_table[row];
  if (args.row_starts != nullptr) record.start = args.row_starts[row];
  if (args.lengths != nullptr) {
    record.length_or_end =
        args.lengths[request * args.length_request_stride + (row - request * args.next_n) * args.length_row_stride];
  } else if (args.row_ends != nullptr) {
    record.length_or_end = args.row_ends[row];
  }
  return record;
}

KEYSIEVE_HOST_DEVICE inline RowGeometry row_geometry(const SelectProblem& problem, const SelectArgs& args,
                                                     const RowRecord& record) {
  RowGeometry geometry;
  geometry.table_line = record.table_line;
  if (args.row_to_table != nullptr && geometry.table_line == -1) return geometry;
  const std::int64_t start = record.start;
  if (start < 0 || start > problem.width) {
    geometry.error_bits |= kErrorStartOutside;
    return geometry;
  }
  geometry.start = start;
  const std::int64_t room = problem.width - start;
  std::int64_t length = room;
  if (args.lengths != nullptr) {
    length = record.length_or_end;
  } else if (args.row_ends != nullptr) {
    length = static_cast<std::int64_t>(record.length_or_end) - start;
  }
  geometry.length = length < 0 ? 0 : (length > room ? room : length);
  if (geometry.length != length) geometry.error_bits |= kErrorLengthClamped;
  return geometry;
}

KEYSIEVE_HOST_DEVICE inline RowGeometry row_geometry(const SelectProblem& problem, const SelectArgs& args,
                                                     std::int64_t row) {
  return row_geometry(problem, args, read_row_record(problem, args, row));
}

}  // namespace keysieve

#include <algorithm>

#include "cases/operation/operation_case.hpp"
#include "cases/random.hpp"
#include "helpers/context_guard.hpp"
#include "helpers/selection_stamp.hpp"

namespace keysieve::cases {
namespace {

OperationCase<ContextGuard> guard_case(const char* name, std::int64_t rows, std::int64_t max_context, bool in_place) {
  OperationCase<ContextGuard> made;
  made.name = name;
  keysieve_context_guard_args& args = made.args;
  args.struct_size = sizeof(args);
  args.max_context = max_context;
  args.lengths = made.store.make(KEYSIEVE_ELEMENT_INT32, {rows}, {}, 4);
  args.out = in_place ? args.lengths : made.store.make(KEYSIEVE_ELEMENT_INT32, {rows});
  Random random(static_cast<std::uint64_t>(rows));
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t usual[] = {max_context, max_context - 1, 0, -1, INT32_MIN};
    const auto length = static_cast<std::int32_t>(row < 5 ? usual[row] : random.between(0, max_context));
    static_cast<std::int32_t*>(args.lengths.data)[row] = length;
  }
  return made;
}

struct StampShape {
  const char* name;
  std::int64_t rows, lines, columns, page_size;
  std::int32_t next_n = 1;
  bool map_rows = false;
  std::int64_t gap = 1;    // between lines, in elements
  std::size_t offset = 0;  // in bytes
};

OperationCase<SelectionStamp> stamp_case(const StampShape& shape) {
  OperationCase<SelectionStamp> made;
  made.name = shape.name;
  keysieve_selection_stamp_args& args = made.args;
  args.struct_size = sizeof(args);
  args.next_n = shape.next_n;
  args.page_size = shape.page_size;
  Random random(77 + static_cast<std::uint64_t>(shape.rows));
  args.lengths = made.store.make(KEYSIEVE_ELEMENT_INT32, {shape.rows});
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    // Up to two pages more than the table has.
    static_cast<std::int32_t*>(args.lengths.data)[row] =
        static_cast<std::int32_t>(random.between(-3, (shape.columns + 2) * std::max<std::int64_t>(shape.page_size, 1)));
  }
  if (shape.page_size > 0) {
    args.page_table = made.store.make(KEYSIEVE_ELEMENT_INT32, {shape.lines, shape.columns},
                                      {shape.columns + shape.gap, 1}, shape.offset);
    const std::int64_t entries = shape.columns > 0 ? shape.lines * (shape.columns + shape.gap) - shape.gap : 0;
    for (std::int64_t i = 0; i < entries; ++i) {
      static_cast<std::int32_t*>(args.page_table.data)[i] = static_cast<std::int32_t>(random.between(-1, 1 << 20));
    }
  }
  if (shape.map_rows) {
    args.row_to_table = made.store.make(KEYSIEVE_ELEMENT_INT32, {shape.rows});
    for (std::int64_t row = 0; row < shape.rows; ++row) {
      static_cast<std::int32_t*>(args.row_to_table.data)[row] =
          static_cast<std::int32_t>(random.between(-1, shape.lines));
    }
  }
  args.stamps = made.store.make(KEYSIEVE_ELEMENT_INT64, {shape.rows});
  return made;
}

// The stamps of `from` as what is expected, one of them wrong where `stale`.
OperationCase<SelectionStamp> check_case(OperationCase<SelectionStamp> from, bool stale) {
  from.args.call.backend = KEYSIEVE_BACKEND_REFERENCE;
  Faults faults;
  Status status = run_operation<SelectionStamp>(from.args, nullptr);
  if (!status.ok()) throw std::logic_error(status.message());
  from.args.call.backend = KEYSIEVE_BACKEND_AUTO;
  from.args.expected = from.args.stamps;
  from.args.stamps = {};
  from.name += stale ? ", one row stale" : ", still good";
  if (stale) {
    static_cast<std::int32_t*>(from.args.lengths.data)[from.args.lengths.shape[0] / 2] += 1;
    from.expected_errors = KEYSIEVE_ERROR_STALE_SELECTION;
  }
  return from;
}

}  // namespace

template <>
std::vector<OperationCase<ContextGuard>> operation_cases<ContextGuard>() {
  std::vector<OperationCase<ContextGuard>> cases;
  cases.push_back(guard_case("all fit", 9, 4096, false));
  cases.push_back(guard_case("in place", 700, 100, true));
  cases.push_back(guard_case("nothing fits", 6, 0, false));
  cases.push_back(guard_case("no rows", 0, 10, false));
  cases.push_back(guard_case("one row too long", 300, 1000, false));
  static_cast<std::int32_t*>(cases.back().args.lengths.data)[299] = 1001;
  cases.back().expected_errors = KEYSIEVE_ERROR_CONTEXT_EXCEEDED;
  return cases;
}

template <>
std::vector<OperationCase<SelectionStamp>> operation_cases<SelectionStamp>() {
  constexpr StampShape kShapes[] = {
      {"lengths alone", 70, 0, 5, 0},
      {"a line a row", 33, 33, 100, 64},
      {"a line a request", 12, 4, 20, 16, 3},
      {"mapped rows", 40, 7, 35, 1, 1, true},
      {"an empty table", 5, 5, 0, 64},
      {"no rows", 0, 0, 3, 64},
      {"short lines on 16 bytes", 33, 33, 100, 64, 1, false, 4},
      {"long lines on 16 bytes", 17, 17, 4096, 64, 1, false, 0},
      {"long lines, odd gap", 9, 9, 1030, 1},
      {"long lines, odd length", 9, 3, 4101, 1, 3, false, 3},
      {"long lines off 16 bytes", 5, 5, 1024, 64, 1, false, 0, 4},
      {"long mapped lines", 21, 5, 640, 7, 1, true, 0},
      {"longer than a step", 3, 3, 20000, 2, 1, false, 0},
  };
  std::vector<OperationCase<SelectionStamp>> cases;
  for (const StampShape& shape : kShapes) cases.push_back(stamp_case(shape));
  cases.push_back(check_case(stamp_case(kShapes[1]), false));
  cases.push_back(check_case(stamp_case(kShapes[1]), true));
  cases.push_back(check_case(stamp_case(kShapes[3]), true));
  return cases;
}

}  // namespace keysieve::cases

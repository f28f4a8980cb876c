#include "helpers/selection_stamp.hpp"

#include <cstdint>
#include <string>

namespace keysieve {

void SelectionStamp::check(const Args& args, Faults& faults) {
  TensorCheck lengths(faults, "lengths", args.lengths);
  lengths.required().element({KEYSIEVE_ELEMENT_INT32}).shape({{"rows", kAnySize}}).contiguous();
  check_range(faults, "next_n", 1, INT32_MAX, args.next_n);
  if (!lengths.good() || args.next_n < 1) return;
  const std::int64_t rows = args.lengths.shape[0];
  const bool compares = is_present(args.expected);
  const keysieve_tensor& stamps = compares ? args.expected : args.stamps;
  TensorCheck(faults, compares ? "expected" : "stamps", stamps)
      .required()
      .element({KEYSIEVE_ELEMENT_INT64})
      .shape({{"rows", rows}})
      .contiguous();
  if (compares && is_present(args.stamps)) {
    faults.invalid("stamps: expected none beside `expected`, as nothing is written, got a tensor");
  }
  if (compares && args.call.error_word == nullptr) {
    faults.invalid("error_word: expected a pointer beside `expected`, got null");
  }
  if (is_present(args.row_to_table)) {
    TensorCheck(faults, "row_to_table", args.row_to_table)
        .required()
        .element({KEYSIEVE_ELEMENT_INT32})
        .shape({{"rows", rows}})
        .contiguous();
  }
  if (!is_present(args.page_table)) return;
  TensorCheck table(faults, "page_table", args.page_table);
  table.required()
      .element({KEYSIEVE_ELEMENT_INT32})
      .shape({{"lines", kAnySize}, {"columns", kAnySize}})
      .inner_stride_1();
  check_range(faults, "page_size", 1, KEYSIEVE_MAX_WIDTH, args.page_size);
  if (!table.good() || is_present(args.row_to_table)) return;
  const std::int64_t lines = args.page_table.shape[0];
  if (lines != rows && (rows % args.next_n != 0 || lines != rows / args.next_n)) {
    faults.invalid("page_table: expected a line per row (" + std::to_string(rows) + ") or per request, got " +
                   std::to_string(lines) + " lines");
  }
}

SelectionStampParams SelectionStamp::params(const Args& args) {
  Params params{};
  params.lengths = static_cast<const std::int32_t*>(args.lengths.data);
  params.rows = args.lengths.shape[0];
  params.next_n = args.next_n;
  params.page_size = args.page_size;
  if (is_present(args.page_table)) {
    // An empty table is one without lines: its pages count as -1, and no pointer is needed.
    static constexpr std::int32_t kNoPages = -1;
    const bool empty = has_no_elements(args.page_table);
    params.page_table = empty ? &kNoPages : static_cast<const std::int32_t*>(args.page_table.data);
    params.table_lines = empty ? 0 : args.page_table.shape[0];
    params.table_columns = args.page_table.shape[1];
    params.table_row_stride = args.page_table.strides[0];
  }
  params.row_to_table =
      is_present(args.row_to_table) ? static_cast<const std::int32_t*>(args.row_to_table.data) : nullptr;
  params.expected = is_present(args.expected) ? static_cast<const std::uint64_t*>(args.expected.data) : nullptr;
  params.stamps = static_cast<std::uint64_t*>(args.stamps.data);
  params.error_word = args.call.error_word;
  // Lines of fewer entries leave most of a block idle.
  constexpr std::int64_t kFewColumns = 512;
  params.row_is_block = params.table_lines > 0 && params.table_columns >= kFewColumns ? 1 : 0;
  const auto address =
      reinterpret_cast<std::uintptr_t>(params.page_table) | static_cast<std::uintptr_t>(params.table_row_stride) * 4;
  params.vectors_fit = address % 16 == 0 ? 1 : 0;
  return params;
}

KernelCalls SelectionStamp::calls(const Params& params) {
  KernelCalls calls;
  KernelCall& call = calls.add();
  call.kernel = OperationKernel::kSelectionStamp;
  if (params.row_is_block != 0) {
    call.threads = 256;
    call.blocks = blocks_for(params.rows, 1);
    call.shared_bytes = call.threads / 32 * static_cast<std::int32_t>(sizeof(std::uint64_t));
  } else {
    call.threads = 128;
    call.blocks = blocks_for(params.rows * 32, call.threads);
  }
  call.set_params(params);
  return calls;
}

}  // namespace keysieve

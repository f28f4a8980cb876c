// transform: positions to slots. row_lengths: request lengths to row lengths.
#include <tvm/ffi/function.h>

#include "errors.hpp"
#include "views.hpp"

namespace keysieve::ffi {
namespace {

constexpr Place kHost{DLDevice{kDLCPU, 0}};

void transform(const TensorView& out, const TensorView& positions, const Optional<TensorView>& out_offsets,
               const Optional<TensorView>& page_table, const Optional<TensorView>& row_to_table,
               const Optional<TensorView>& error_word, std::int64_t mode, std::int64_t next_n, std::int64_t page_size,
               std::int64_t num_pages) {
  keysieve_transform_args args;
  keysieve_transform_args_init(&args);
  const bool wide = positions.dtype().bits == 64;
  const Element element = wide ? Element::kInt64 : Element::kInt32;
  expect_tensor("positions", positions, element, kHost, {{"rows", kAnySize}, {"k", kAnySize}});
  const std::int64_t rows = positions.size(0);
  const std::int64_t k = positions.size(1);
  if (next_n < 1 || next_n > INT32_MAX) {
    throw_value_error("next_n: expected 1.." + std::to_string(INT32_MAX) + ", got " + std::to_string(next_n));
  }
  args.mode = static_cast<std::int32_t>(mode);
  args.index_type = wide ? KEYSIEVE_INT64 : KEYSIEVE_INT32;
  args.next_n = static_cast<std::int32_t>(next_n);
  args.rows = rows;
  args.k = k;
  args.positions = data_of(positions);
  args.positions_row_stride = row_stride_of("positions", positions);
  args.out_offsets = per_row("out_offsets", out_offsets, kHost, rows);
  args.row_to_table = per_row("row_to_table", row_to_table, kHost, rows);
  args.page_size = page_size;
  args.num_pages = num_pages;
  set_page_table(page_table, kHost, args);
  expect_tensor("out", out, element, kHost, {{"rows", rows}, {"k", k}});
  args.out = data_of(out);
  args.out_row_stride = row_stride_of("out", out);
  args.error_word = error_word_of(error_word, kHost);
  check_status(keysieve_transform_run(&args, nullptr));
}

void row_lengths(const TensorView& out, const TensorView& request_lengths, std::int64_t next_n,
                 std::int64_t compress_ratio) {
  const auto positive = [](const char* name, std::int64_t value) {
    if (value < 1 || value > INT32_MAX) {
      throw_value_error(std::string(name) + ": expected 1.." + std::to_string(INT32_MAX) + ", got " +
                        std::to_string(value));
    }
    return static_cast<std::int32_t>(value);
  };
  const std::int32_t draft = positive("next_n", next_n);
  const std::int32_t ratio = positive("compress_ratio", compress_ratio);
  expect_tensor("request_lengths", request_lengths, Element::kInt32, kHost, {{"requests", kAnySize}});
  expect_contiguous("request_lengths", request_lengths);
  const std::int64_t requests = request_lengths.size(0);
  expect_tensor("out", out, Element::kInt32, kHost, {{"requests", requests}, {"next_n", next_n}});
  if (const std::int64_t stride = row_stride_of("out", out); stride != KEYSIEVE_AUTO && stride != next_n) {
    throw_value_error("out: expected a contiguous array, got row stride " + std::to_string(stride));
  }
  check_status(keysieve_row_lengths(static_cast<const std::int32_t*>(data_of(request_lengths)), requests, draft, ratio,
                                    static_cast<std::int32_t*>(data_of(out))));
}

}  // namespace
}  // namespace keysieve::ffi

TVM_FFI_DLL_EXPORT_TYPED_FUNC(transform, keysieve::ffi::transform)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(row_lengths, keysieve::ffi::row_lengths)

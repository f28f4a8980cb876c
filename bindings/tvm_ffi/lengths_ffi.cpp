// Fixed contexts and stamps of selections.
#include <tvm/ffi/function.h>

#include "plan_bytes.hpp"
#include "tensors.hpp"

namespace keysieve::ffi {
namespace {

using ::tvm::ffi::Bytes;
using ::tvm::ffi::String;

String context_guard(const TensorView& out, const TensorView& lengths, const Optional<TensorView>& error_word,
                     std::int64_t max_context, std::int64_t backend, bool dependent_launch, bool ask) {
  const Place place{lengths.device()};
  keysieve_context_guard_args args;
  keysieve_context_guard_args_init(&args);
  args.call = call_on(place, backend, error_word, dependent_launch);
  args.lengths = tensor_of("lengths", lengths, place);
  args.out = tensor_of("out", out, place);
  args.max_context = max_context;
  return run_or_ask(args, place, ask, keysieve_context_guard, keysieve_context_guard_can_use);
}

String selection_stamp(const Optional<TensorView>& stamps, const Optional<TensorView>& expected,
                       const TensorView& lengths, const Optional<TensorView>& page_table,
                       const Optional<TensorView>& row_to_table, const Optional<TensorView>& error_word,
                       std::int64_t page_size, std::int64_t next_n, std::int64_t backend, bool dependent_launch,
                       bool ask) {
  const Place place{lengths.device()};
  keysieve_selection_stamp_args args;
  keysieve_selection_stamp_args_init(&args);
  args.call = call_on(place, backend, error_word, dependent_launch);
  args.lengths = tensor_of("lengths", lengths, place);
  args.page_table = tensor_of("page_table", page_table, place);
  args.row_to_table = tensor_of("row_to_table", row_to_table, place);
  args.stamps = tensor_of("out", stamps, place);
  args.expected = tensor_of("expected", expected, place);
  args.page_size = page_size;
  args.next_n = static_cast<std::int32_t>(next_n);
  return run_or_ask(args, place, ask, keysieve_selection_stamp, keysieve_selection_stamp_can_use);
}

std::int64_t score_bytes(std::int64_t mode, std::int64_t rows, std::int64_t context, std::int64_t element) {
  std::int64_t bytes = 0;
  check_status(
      keysieve_score_bytes(static_cast<std::int32_t>(mode), rows, context, static_cast<std::int32_t>(element), &bytes));
  return bytes;
}

String serves_context(const Bytes& plan_bytes, std::int64_t max_context) {
  const keysieve_select_plan plan = plan_from_bytes(plan_bytes);
  return whole_text([&](char* buffer, std::size_t size, std::size_t* needed) {
    return keysieve_select_serves_context(&plan, max_context, buffer, size, needed);
  });
}

}  // namespace
}  // namespace keysieve::ffi

TVM_FFI_DLL_EXPORT_TYPED_FUNC(context_guard, keysieve::ffi::context_guard)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(selection_stamp, keysieve::ffi::selection_stamp)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(score_bytes, keysieve::ffi::score_bytes)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(serves_context, keysieve::ffi::serves_context)

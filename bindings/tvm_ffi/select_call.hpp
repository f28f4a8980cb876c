// A call of select on views that Python owns, checked and put into the structs of the C ABI.
#pragma once

#include <tvm/ffi/string.h>

#include "views.hpp"

namespace keysieve::ffi {

using ::tvm::ffi::Bytes;

struct SelectCall {
  keysieve_select_plan plan;
  keysieve_select_args args;
  void* stream;
};

SelectCall select_call(const TensorView& indices, const Optional<TensorView>& raw_indices,
                       const Optional<TensorView>& values, const Optional<TensorView>& counts, const TensorView& scores,
                       const Optional<TensorView>& lengths, const Optional<TensorView>& row_starts,
                       const Optional<TensorView>& row_ends, const Optional<TensorView>& out_offsets,
                       const Optional<TensorView>& page_table, const Optional<TensorView>& row_to_table,
                       const Optional<TensorView>& error_word, const Optional<TensorView>& workspace,
                       const Optional<TensorView>& hint, const Optional<TensorView>& row_counters,
                       const Bytes& plan_bytes, std::int64_t page_size, std::int64_t num_pages, bool dependent_launch);

// The same parameters for every entry that works on such a call, without writing them down again: Entry<F> passes the
// call on to F, with what else the entry takes in front.
template <auto kWork, typename Builder = decltype(select_call)>
struct SelectEntry;

template <auto kWork, typename... Parameters>
struct SelectEntry<kWork, SelectCall(Parameters...)> {
  static void run(Parameters... parameters) { kWork(select_call(parameters...)); }
  static void run_with(std::int64_t number, Parameters... parameters) { kWork(number, select_call(parameters...)); }
};

}  // namespace keysieve::ffi

// Tensors of the kernels around selection: described whole and checked behind the C ABI, which names what is wrong.
#pragma once

#include "errors.hpp"
#include "keysieve/kernels.h"
#include "text_result.hpp"
#include "views.hpp"

namespace keysieve::ffi {

// 16-bit integers hold the bits of BF16, as NumPy has no bfloat16; every 1-byte type is bytes. `place` is where the
// call runs: a tensor elsewhere is refused.
keysieve_tensor tensor_of(const char* name, const TensorView& tensor, const Place& place);
keysieve_tensor tensor_of(const char* name, const Optional<TensorView>& tensor, const Place& place);

// Wherever the tensor lies: for memory of the host that the device reads.
keysieve_tensor tensor_anywhere(const char* name, const TensorView& tensor);

// Device, backend and error word of a call.
keysieve_call call_on(const Place& place, std::int64_t backend, const Optional<TensorView>& error_word,
                      bool dependent_launch);

// The end of every kernel's function: makes the call and returns empty text, or, where Python only asks, launches
// nothing and returns the unmet conditions, one a line.
template <typename Args>
::tvm::ffi::String run_or_ask(const Args& args, const Place& place, bool ask,
                              keysieve_status (*run)(const Args*, void*),
                              keysieve_status (*can_use)(const Args*, char*, std::size_t, std::size_t*)) {
  if (!ask) {
    check_status(run(&args, stream_of(place)));
    return {};
  }
  return whole_text(
      [&](char* buffer, std::size_t size, std::size_t* needed) { return can_use(&args, buffer, size, needed); });
}

}  // namespace keysieve::ffi

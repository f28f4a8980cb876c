#include <tvm/ffi/function.h>

#include "tensors.hpp"

namespace keysieve::ffi {
namespace {

::tvm::ffi::String q_rope_store(const TensorView& out, const TensorView& q, const TensorView& freqs,
                                const TensorView& positions, const Optional<TensorView>& error_word,
                                std::int64_t backend, bool dependent_launch, bool ask) {
  const Place place{q.device()};
  keysieve_q_rope_store_args args;
  keysieve_q_rope_store_args_init(&args);
  args.call = call_on(place, backend, error_word, dependent_launch);
  args.out = tensor_of("out", out, place);
  args.q = tensor_of("q", q, place);
  args.freqs = tensor_of("freqs", freqs, place);
  args.positions = tensor_of("positions", positions, place);
  return run_or_ask(args, place, ask, keysieve_q_rope_store, keysieve_q_rope_store_can_use);
}

}  // namespace
}  // namespace keysieve::ffi

TVM_FFI_DLL_EXPORT_TYPED_FUNC(q_rope_store, keysieve::ffi::q_rope_store)

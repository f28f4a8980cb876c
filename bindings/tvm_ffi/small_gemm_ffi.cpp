#include <tvm/ffi/function.h>

#include "tensors.hpp"

namespace keysieve::ffi {
namespace {

::tvm::ffi::String small_gemm(const TensorView& out, const TensorView& x, const TensorView& w, std::int64_t max_m,
                              std::int64_t backend, bool dependent_launch, bool ask) {
  const Place place{x.device()};
  keysieve_small_gemm_args args;
  keysieve_small_gemm_args_init(&args);
  args.call = call_on(place, backend, {}, dependent_launch);
  args.out = tensor_of("out", out, place);
  args.x = tensor_of("x", x, place);
  args.w = tensor_of("w", w, place);
  args.max_m = max_m;
  return run_or_ask(args, place, ask, keysieve_small_gemm, keysieve_small_gemm_can_use);
}

}  // namespace
}  // namespace keysieve::ffi

TVM_FFI_DLL_EXPORT_TYPED_FUNC(small_gemm, keysieve::ffi::small_gemm)

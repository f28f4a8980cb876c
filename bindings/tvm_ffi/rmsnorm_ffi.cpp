#include <tvm/ffi/function.h>

#include "tensors.hpp"

namespace keysieve::ffi {
namespace {

template <typename Args>
void set_common(Args& args, const Place& place, const Optional<TensorView>& y, const Optional<TensorView>& q,
                const Optional<TensorView>& scales, const TensorView& x, const TensorView& weight, double eps,
                std::int64_t backend, bool dependent_launch) {
  args.call = call_on(place, backend, {}, dependent_launch);
  args.y = tensor_of("y", y, place);
  args.q = tensor_of("q", q, place);
  args.scales = tensor_of("scales", scales, place);
  args.x = tensor_of("x", x, place);
  args.weight = tensor_of("weight", weight, place);
  args.eps = static_cast<float>(eps);
}

::tvm::ffi::String rmsnorm_mxfp8(const Optional<TensorView>& y, const Optional<TensorView>& q,
                                 const Optional<TensorView>& scales, const TensorView& x, const TensorView& weight,
                                 double eps, std::int64_t backend, bool dependent_launch, bool ask) {
  const Place place{x.device()};
  keysieve_rmsnorm_mxfp8_args args;
  keysieve_rmsnorm_mxfp8_args_init(&args);
  set_common(args, place, y, q, scales, x, weight, eps, backend, dependent_launch);
  return run_or_ask(args, place, ask, keysieve_rmsnorm_mxfp8, keysieve_rmsnorm_mxfp8_can_use);
}

::tvm::ffi::String hc_rmsnorm_mxfp8(const Optional<TensorView>& y, const Optional<TensorView>& q,
                                    const Optional<TensorView>& scales, const TensorView& x, const TensorView& pre,
                                    const TensorView& weight, double eps, std::int64_t backend, bool dependent_launch,
                                    bool ask) {
  const Place place{x.device()};
  keysieve_hc_rmsnorm_mxfp8_args args;
  keysieve_hc_rmsnorm_mxfp8_args_init(&args);
  set_common(args, place, y, q, scales, x, weight, eps, backend, dependent_launch);
  args.pre = tensor_of("pre", pre, place);
  return run_or_ask(args, place, ask, keysieve_hc_rmsnorm_mxfp8, keysieve_hc_rmsnorm_mxfp8_can_use);
}

std::int64_t mxfp8_scale_bytes(std::int64_t rows, std::int64_t columns) {
  std::int64_t bytes = 0;
  check_status(keysieve_mxfp8_scale_bytes(rows, columns, &bytes));
  return bytes;
}

}  // namespace
}  // namespace keysieve::ffi

TVM_FFI_DLL_EXPORT_TYPED_FUNC(rmsnorm_mxfp8, keysieve::ffi::rmsnorm_mxfp8)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(hc_rmsnorm_mxfp8, keysieve::ffi::hc_rmsnorm_mxfp8)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(mxfp8_scale_bytes, keysieve::ffi::mxfp8_scale_bytes)

#include "keysieve/indexer_keys.h"

#include <tvm/ffi/function.h>

#include "tensors.hpp"

namespace keysieve::ffi {
namespace {

using ::tvm::ffi::String;

String fp4_quantise(const TensorView& payload, const TensorView& scales, const TensorView& x, std::int64_t rounding,
                    std::int64_t backend, bool dependent_launch, bool ask) {
  const Place place{x.device()};
  keysieve_fp4_quantise_args args;
  keysieve_fp4_quantise_args_init(&args);
  args.call = call_on(place, backend, {}, dependent_launch);
  args.payload = tensor_of("payload", payload, place);
  args.scales = tensor_of("scales", scales, place);
  args.x = tensor_of("x", x, place);
  args.rounding = static_cast<std::int32_t>(rounding);
  return run_or_ask(args, place, ask, keysieve_fp4_quantise, keysieve_fp4_quantise_can_use);
}

String fp8_quantise(const TensorView& payload, const TensorView& scales, const TensorView& x,
                    bool scale_to_power_of_two, std::int64_t backend, bool dependent_launch, bool ask) {
  const Place place{x.device()};
  keysieve_fp8_quantise_args args;
  keysieve_fp8_quantise_args_init(&args);
  args.call = call_on(place, backend, {}, dependent_launch);
  args.payload = tensor_of("payload", payload, place);
  args.scales = tensor_of("scales", scales, place);
  args.x = tensor_of("x", x, place);
  args.scale_to_power_of_two = scale_to_power_of_two ? 1 : 0;
  return run_or_ask(args, place, ask, keysieve_fp8_quantise, keysieve_fp8_quantise_can_use);
}

// Store and gather: the same tensors, written on one side or the other.
template <typename Args>
Args copy_args(const TensorView& cache, const TensorView& payload, const TensorView& scales, const TensorView& slots,
               const Optional<TensorView>& error_word, std::int64_t backend, bool dependent_launch) {
  const Place place{cache.device()};
  Args args{};
  args.struct_size = sizeof(args);
  args.call = call_on(place, backend, error_word, dependent_launch);
  args.cache = tensor_of("cache", cache, place);
  args.payload = tensor_of("payload", payload, place);
  args.scales = tensor_of("scales", scales, place);
  args.slots = tensor_of("slots", slots, place);
  return args;
}

String fp4_store(const TensorView& cache, const TensorView& payload, const TensorView& scales, const TensorView& slots,
                 const Optional<TensorView>& error_word, std::int64_t backend, bool dependent_launch, bool ask) {
  const auto args =
      copy_args<keysieve_fp4_store_args>(cache, payload, scales, slots, error_word, backend, dependent_launch);
  return run_or_ask(args, Place{cache.device()}, ask, keysieve_fp4_store, keysieve_fp4_store_can_use);
}
String fp8_store(const TensorView& cache, const TensorView& payload, const TensorView& scales, const TensorView& slots,
                 const Optional<TensorView>& error_word, std::int64_t backend, bool dependent_launch, bool ask) {
  const auto args =
      copy_args<keysieve_fp8_store_args>(cache, payload, scales, slots, error_word, backend, dependent_launch);
  return run_or_ask(args, Place{cache.device()}, ask, keysieve_fp8_store, keysieve_fp8_store_can_use);
}
String fp4_gather(const TensorView& cache, const TensorView& payload, const TensorView& scales, const TensorView& slots,
                  const Optional<TensorView>& error_word, std::int64_t backend, bool dependent_launch, bool ask) {
  const auto args =
      copy_args<keysieve_fp4_gather_args>(cache, payload, scales, slots, error_word, backend, dependent_launch);
  return run_or_ask(args, Place{cache.device()}, ask, keysieve_fp4_gather, keysieve_fp4_gather_can_use);
}
String fp8_gather(const TensorView& cache, const TensorView& payload, const TensorView& scales, const TensorView& slots,
                  const Optional<TensorView>& error_word, std::int64_t backend, bool dependent_launch, bool ask) {
  const auto args =
      copy_args<keysieve_fp8_gather_args>(cache, payload, scales, slots, error_word, backend, dependent_launch);
  return run_or_ask(args, Place{cache.device()}, ask, keysieve_fp8_gather, keysieve_fp8_gather_can_use);
}

String fp4_indexer_key(const TensorView& cache, const TensorView& x, const TensorView& weight, double eps,
                       const TensorView& freqs, const TensorView& positions, const TensorView& slots,
                       std::int64_t ratio, const Optional<TensorView>& error_word, std::int64_t backend,
                       bool dependent_launch, bool ask) {
  const Place place{cache.device()};
  keysieve_fp4_indexer_key_args args;
  keysieve_fp4_indexer_key_args_init(&args);
  args.call = call_on(place, backend, error_word, dependent_launch);
  args.cache = tensor_of("cache", cache, place);
  args.x = tensor_of("x", x, place);
  args.weight = tensor_of("weight", weight, place);
  args.freqs = tensor_of("freqs", freqs, place);
  args.positions = tensor_of("positions", positions, place);
  args.slots = tensor_of("slots", slots, place);
  args.eps = static_cast<float>(eps);
  args.ratio = ratio;
  return run_or_ask(args, place, ask, keysieve_fp4_indexer_key, keysieve_fp4_indexer_key_can_use);
}

String fp4_indexer_query(const TensorView& payload, const TensorView& scales, const Optional<TensorView>& weights_out,
                         const TensorView& x, const TensorView& freqs, const TensorView& positions,
                         const Optional<TensorView>& weights, double weight_scale,
                         const Optional<TensorView>& error_word, std::int64_t backend, bool dependent_launch,
                         bool ask) {
  const Place place{x.device()};
  keysieve_fp4_indexer_query_args args;
  keysieve_fp4_indexer_query_args_init(&args);
  args.call = call_on(place, backend, error_word, dependent_launch);
  args.payload = tensor_of("payload", payload, place);
  args.scales = tensor_of("scales", scales, place);
  args.weights_out = tensor_of("weights_out", weights_out, place);
  args.x = tensor_of("x", x, place);
  args.freqs = tensor_of("freqs", freqs, place);
  args.positions = tensor_of("positions", positions, place);
  args.weights = tensor_of("weights", weights, place);
  args.weight_scale = static_cast<float>(weight_scale);
  return run_or_ask(args, place, ask, keysieve_fp4_indexer_query, keysieve_fp4_indexer_query_can_use);
}

}  // namespace
}  // namespace keysieve::ffi

TVM_FFI_DLL_EXPORT_TYPED_FUNC(fp4_quantise, keysieve::ffi::fp4_quantise)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fp8_quantise, keysieve::ffi::fp8_quantise)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fp4_store, keysieve::ffi::fp4_store)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fp8_store, keysieve::ffi::fp8_store)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fp4_gather, keysieve::ffi::fp4_gather)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fp8_gather, keysieve::ffi::fp8_gather)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fp4_indexer_key, keysieve::ffi::fp4_indexer_key)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fp4_indexer_query, keysieve::ffi::fp4_indexer_query)

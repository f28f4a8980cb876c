#include "helpers/cache_copy.hpp"

#include <bit>

namespace keysieve {
namespace {

template <typename Args>
void check_copy(const Args& args, std::int32_t payload_bytes, Faults& faults) {
  check_range(faults, "reserved", 0, 0, args.reserved);
  check_key_cache(faults, "cache", args.cache, payload_bytes);
  TensorCheck slots(faults, "slots", args.slots);
  slots.required().element({KEYSIEVE_ELEMENT_INT32, KEYSIEVE_ELEMENT_INT64}).shape({{"n", kAnySize}}).contiguous();
  if (args.slots.rank != 1) return;
  const std::int64_t count = args.slots.shape[0];
  TensorCheck(faults, "payload", args.payload)
      .required()
      .element({KEYSIEVE_ELEMENT_BYTE})
      .shape({{"n", count}, {"bytes", payload_bytes}})
      .inner_stride_1()
      .aligned(4);
  const std::int32_t scale = payload_bytes == kFp4PayloadBytes ? KEYSIEVE_ELEMENT_INT32 : KEYSIEVE_ELEMENT_FLOAT32;
  TensorCheck(faults, "scales", args.scales).required().element({scale}).shape({{"n", count}}).contiguous();
}

template <typename Args>
CacheCopyParams copy_params(const Args& args, std::int32_t payload_bytes) {
  CacheCopyParams params{};
  params.cache = key_cache_of(args.cache, payload_bytes);
  params.payload = static_cast<std::uint8_t*>(args.payload.data);
  params.scales = static_cast<std::uint32_t*>(args.scales.data);
  params.slots = args.slots.data;
  params.error_word = args.call.error_word;
  params.count = args.slots.shape[0];
  params.payload_row_stride = args.payload.strides[0];
  params.slots_are_64_bit = args.slots.element == KEYSIEVE_ELEMENT_INT64 ? 1 : 0;
  // The second stride of a cache, bytes of a slot, is no distance between payloads.
  const bool pages_fit = reinterpret_cast<std::uintptr_t>(params.cache.pages) % 16 == 0 &&
                         (args.cache.shape[0] <= 1 || params.cache.page_stride % 16 == 0);
  params.vectors_fit = pages_fit && rows_fit(args.payload, 16) ? 1 : 0;
  params.piece_shift = std::countr_zero(static_cast<std::uint32_t>(payload_bytes / (params.vectors_fit != 0 ? 16 : 4)));
  return params;
}

KernelCalls copy_calls(OperationKernel kernel, const CacheCopyParams& params) {
  KernelCalls calls;
  KernelCall& call = calls.add();
  call.kernel = kernel;
  call.threads = 256;
  call.blocks = blocks_for(params.count << params.piece_shift, call.threads);
  call.set_params(params);
  return calls;
}

}  // namespace

template <std::int32_t kPayloadBytes>
void CacheStore<kPayloadBytes>::check(const Args& args, Faults& faults) {
  check_copy(args, kPayloadBytes, faults);
}
template <std::int32_t kPayloadBytes>
CacheCopyParams CacheStore<kPayloadBytes>::params(const Args& args) {
  return copy_params(args, kPayloadBytes);
}
template <std::int32_t kPayloadBytes>
KernelCalls CacheStore<kPayloadBytes>::calls(const Params& params) {
  return copy_calls(OperationKernel::kCacheStore, params);
}

template <std::int32_t kPayloadBytes>
void CacheGather<kPayloadBytes>::check(const Args& args, Faults& faults) {
  check_copy(args, kPayloadBytes, faults);
}
template <std::int32_t kPayloadBytes>
CacheCopyParams CacheGather<kPayloadBytes>::params(const Args& args) {
  return copy_params(args, kPayloadBytes);
}
template <std::int32_t kPayloadBytes>
KernelCalls CacheGather<kPayloadBytes>::calls(const Params& params) {
  return copy_calls(OperationKernel::kCacheGather, params);
}

template struct CacheStore<kFp4PayloadBytes>;
template struct CacheStore<kFp8PayloadBytes>;
template struct CacheGather<kFp4PayloadBytes>;
template struct CacheGather<kFp8PayloadBytes>;

}  // namespace keysieve

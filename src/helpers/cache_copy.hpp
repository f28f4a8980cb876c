// Vectors into slots of a cache of keys and out of them (indexer_keys.h): the same for FP4 and FP8 but for the bytes of
// a payload.
#pragma once

#include "helpers/key_cache.hpp"
#include "keysieve/indexer_keys.h"
#include "operation/operation.hpp"

namespace keysieve {

struct CacheCopyParams {
  KeyCache cache;
  std::uint8_t* payload;  // store: read
  std::uint32_t* scales;
  const void* slots;
  std::uint32_t* error_word;
  std::int64_t count;
  std::int64_t payload_row_stride;  // bytes, a multiple of 4
  std::int32_t slots_are_64_bit;
  std::int32_t vectors_fit;  // payloads begin at 16-byte addresses on both sides
  std::int32_t piece_shift;  // log2 of the pieces of a payload: 16 bytes where vectors fit, else 4
};

template <std::int32_t kPayloadBytes>
struct CacheStore {
  using Args = keysieve_cache_store_args;
  using Params = CacheCopyParams;
  static constexpr OperationId kId = OperationId::kCacheStore;

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("cache", args.cache, Access::kWrite);
    visit("payload", args.payload, Access::kRead);
    visit("scales", args.scales, Access::kRead);
    visit("slots", args.slots, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.slots); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params);
};

template <std::int32_t kPayloadBytes>
struct CacheGather {
  using Args = keysieve_cache_gather_args;
  using Params = CacheCopyParams;
  static constexpr OperationId kId = OperationId::kCacheGather;

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("payload", args.payload, Access::kWrite);
    visit("scales", args.scales, Access::kWrite);
    visit("cache", args.cache, Access::kRead);
    visit("slots", args.slots, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.slots); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params);
};

using Fp4Store = CacheStore<kFp4PayloadBytes>;
using Fp8Store = CacheStore<kFp8PayloadBytes>;
using Fp4Gather = CacheGather<kFp4PayloadBytes>;
using Fp8Gather = CacheGather<kFp8PayloadBytes>;

}  // namespace keysieve

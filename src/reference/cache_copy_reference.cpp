// Store into and gather from a cache of keys, byte by byte.
#include <cstring>

#include "helpers/cache_copy.hpp"
#include "reference/key_reference.hpp"

namespace keysieve {

template <std::int32_t kPayloadBytes>
void CacheStore<kPayloadBytes>::reference(const Args& args) {
  for (std::int64_t n = 0; n < args.slots.shape[0]; ++n) {
    const std::int64_t slot = reference::integer_at(args.slots, n);
    const reference::SlotBytes to = reference::bytes_of_slot(args.cache, slot);
    if (to.payload == nullptr) {
      if (slot >= 0 && args.call.error_word != nullptr) *args.call.error_word |= KEYSIEVE_ERROR_BAD_ID;
      continue;
    }
    std::memcpy(to.payload, static_cast<const std::uint8_t*>(args.payload.data) + n * args.payload.strides[0],
                kPayloadBytes);
    std::memcpy(to.scale, static_cast<const std::uint8_t*>(args.scales.data) + 4 * n, 4);
  }
}

template <std::int32_t kPayloadBytes>
void CacheGather<kPayloadBytes>::reference(const Args& args) {
  for (std::int64_t n = 0; n < args.slots.shape[0]; ++n) {
    const std::int64_t slot = reference::integer_at(args.slots, n);
    auto* payload = static_cast<std::uint8_t*>(args.payload.data) + n * args.payload.strides[0];
    auto* scale = static_cast<std::uint8_t*>(args.scales.data) + 4 * n;
    const reference::SlotBytes from = reference::bytes_of_slot(args.cache, slot);
    if (from.payload == nullptr) {
      std::memset(payload, 0, kPayloadBytes);
      std::memset(scale, 0, 4);
      if (slot != -1 && args.call.error_word != nullptr) *args.call.error_word |= KEYSIEVE_ERROR_BAD_ID;
      continue;
    }
    std::memcpy(payload, from.payload, kPayloadBytes);
    std::memcpy(scale, from.scale, 4);
  }
}

template void CacheStore<kFp4PayloadBytes>::reference(const Args&);
template void CacheStore<kFp8PayloadBytes>::reference(const Args&);
template void CacheGather<kFp4PayloadBytes>::reference(const Args&);
template void CacheGather<kFp8PayloadBytes>::reference(const Args&);

}  // namespace keysieve

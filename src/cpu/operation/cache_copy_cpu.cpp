#include <cstring>

#include "cpu/operation/rows.hpp"
#include "cpu/operations.hpp"

namespace keysieve::cpu {

void cache_store(const CacheCopyParams& params, std::int32_t threads) {
  for_each_row(threads, params.count, [&](std::int64_t n) {
    const std::int64_t slot = integer_at(params.slots, params.slots_are_64_bit, n);
    if (slot < 0) return;
    if (slot >= params.cache.num_slots) return report(params.error_word, KEYSIEVE_ERROR_BAD_ID);
    std::memcpy(params.cache.payload_of(slot), params.payload + n * params.payload_row_stride,
                static_cast<std::size_t>(params.cache.payload_bytes));
    *params.cache.scale_of(slot) = params.scales[n];
  });
}

void cache_gather(const CacheCopyParams& params, std::int32_t threads) {
  for_each_row(threads, params.count, [&](std::int64_t n) {
    const std::int64_t slot = integer_at(params.slots, params.slots_are_64_bit, n);
    std::uint8_t* payload = params.payload + n * params.payload_row_stride;
    const auto bytes = static_cast<std::size_t>(params.cache.payload_bytes);
    if (slot < 0 || slot >= params.cache.num_slots) {
      std::memset(payload, 0, bytes);
      params.scales[n] = 0;
      if (slot != -1) report(params.error_word, KEYSIEVE_ERROR_BAD_ID);
      return;
    }
    std::memcpy(payload, params.cache.payload_of(slot), bytes);
    params.scales[n] = *params.cache.scale_of(slot);
  });
}

}  // namespace keysieve::cpu

// The paged cache of indexer keys (indexer_keys.h): payloads of a page's slots, then their scales.
#pragma once

#include <cstdint>

#include "core/host_device.hpp"
#include "operation/tensor_check.hpp"

namespace keysieve {

inline constexpr std::int32_t kKeyDims = 128;
inline constexpr std::int32_t kFp4PayloadBytes = 64;
inline constexpr std::int32_t kFp8PayloadBytes = 128;

struct KeyCache {
  std::uint8_t* pages;
  std::int64_t num_slots;
  std::int64_t page_stride;  // bytes
  std::int32_t page_shift;   // log2 of the slots of a page
  std::int32_t payload_bytes;

  KEYSIEVE_HOST_DEVICE std::uint8_t* page_of(std::int64_t slot) const {
    return pages + (slot >> page_shift) * page_stride;
  }
  KEYSIEVE_HOST_DEVICE std::int32_t entry_of(std::int64_t slot) const {
    return static_cast<std::int32_t>(slot & ((std::int64_t{1} << page_shift) - 1));
  }
  KEYSIEVE_HOST_DEVICE std::uint8_t* payload_of(std::int64_t slot) const {
    return page_of(slot) + entry_of(slot) * payload_bytes;
  }
  KEYSIEVE_HOST_DEVICE std::uint32_t* scale_of(std::int64_t slot) const {
    return reinterpret_cast<std::uint32_t*>(page_of(slot) + (std::int64_t{payload_bytes} << page_shift)) +
           entry_of(slot);
  }
};

// `cache` as [pages, P, payload_bytes + 4], strides resolved.
void check_key_cache(Faults& faults, const char* name, const keysieve_tensor& cache, std::int32_t payload_bytes);
KeyCache key_cache_of(const keysieve_tensor& cache, std::int32_t payload_bytes);

// Do address and outer strides fit accesses of `bytes`? Strides over one element say nothing.
bool rows_fit(const keysieve_tensor& tensor, std::int64_t bytes);

}  // namespace keysieve

#include "helpers/key_cache.hpp"

#include <bit>
#include <string>

namespace keysieve {

void check_key_cache(Faults& faults, const char* name, const keysieve_tensor& cache, std::int32_t payload_bytes) {
  const std::int64_t slot_bytes = payload_bytes + 4;
  TensorCheck check(faults, name, cache);
  check.required()
      .element({KEYSIEVE_ELEMENT_BYTE})
      .shape({{"pages", kAnySize}, {"P", kAnySize}, {"bytes", slot_bytes}});
  if (!check.good()) return;
  const std::int64_t page_slots = cache.shape[1];
  if (!is_power_of_two(page_slots) || page_slots < 8 || page_slots > 256) {
    faults.invalid(std::string(name) + ": expected a power of two from 8 to 256 as P, got " +
                   std::to_string(page_slots));
    return;
  }
  if (cache.strides[2] != 1 || cache.strides[1] != slot_bytes ||
      (cache.shape[0] > 1 && cache.strides[0] < page_slots * slot_bytes)) {
    faults.invalid(std::string(name) + ": expected pages of adjacent bytes, at least " +
                   std::to_string(page_slots * slot_bytes) + " apart, got strides [" +
                   std::to_string(cache.strides[0]) + ", " + std::to_string(cache.strides[1]) + ", " +
                   std::to_string(cache.strides[2]) + "]");
    return;
  }
  check.aligned(4);
}

KeyCache key_cache_of(const keysieve_tensor& cache, std::int32_t payload_bytes) {
  KeyCache made{};
  made.pages = static_cast<std::uint8_t*>(cache.data);
  made.num_slots = cache.shape[0] * cache.shape[1];
  made.page_stride = cache.strides[0];
  made.page_shift = std::countr_zero(static_cast<std::uint64_t>(cache.shape[1]));
  made.payload_bytes = payload_bytes;
  return made;
}

bool rows_fit(const keysieve_tensor& tensor, std::int64_t bytes) {
  bool fits = reinterpret_cast<std::uintptr_t>(tensor.data) % static_cast<std::uintptr_t>(bytes) == 0;
  for (std::int32_t axis = 0; axis + 1 < tensor.rank; ++axis) {
    fits = fits && (tensor.shape[axis] <= 1 || tensor.strides[axis] * element_bytes(tensor.element) % bytes == 0);
  }
  return fits;
}

}  // namespace keysieve

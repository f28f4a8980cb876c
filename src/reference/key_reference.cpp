#include "reference/key_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/number_reference.hpp"

namespace keysieve::reference {
namespace {

double nearest_float(double value) { return static_cast<double>(static_cast<float>(value)); }

// Infinity where one of the values is infinite or no number.
double largest_magnitude(const SignedValue* values) {
  double most = 0;
  for (int i = 0; i < 32; ++i) {
    if (!std::isfinite(values[i].value)) return INFINITY;
    most = std::max(most, std::fabs(values[i].value));
  }
  return most;
}

}  // namespace

SignedValue signed_bfloat16(std::uint16_t bits) { return {value_of_bfloat16(bits), (bits & 0x8000) != 0}; }

Fp4Group packed_group(const SignedValue* values, bool ties_to_zero) {
  Fp4Group group;
  const double most = largest_magnitude(values);
  if (std::isinf(most)) {
    group.byte = 254;
  } else {
    // The quotient of two floats, rounded to double and then to float, is what rounding once to float gives.
    const double scale = std::max(nearest_float(most / 6), static_cast<double>(1e-4f));
    group.byte = std::clamp(exponent_at_or_above(scale) + 127, 1, 254);
  }
  for (int i = 0; i < 32; ++i) {
    const int code = nearest_e2m1(std::ldexp(std::fabs(values[i].value), 127 - group.byte), ties_to_zero);
    group.codes[i] = static_cast<std::uint8_t>(code != 0 && values[i].negative ? code + 8 : code);
  }
  return group;
}

void fake_quantise(SignedValue* values) {
  const double most = largest_magnitude(values);
  if (std::isinf(most)) return;
  const double sixth = static_cast<double>(static_cast<float>(1.0 / 6));
  const int exponent = exponent_at_or_above(nearest_float(std::max(most, std::ldexp(6, -126)) * sixth));
  for (int i = 0; i < 32; ++i) {
    const int code = nearest_e2m1(std::ldexp(std::fabs(values[i].value), -exponent), false);
    const double magnitude = nearest_float(std::ldexp(value_of_e2m1(code), exponent));
    values[i].value = values[i].negative ? -magnitude : magnitude;
  }
}

void write_fp4_vector(const Fp4Group* groups, std::uint8_t* payload, std::uint8_t* scale_bytes) {
  for (int dim = 0; dim < 128; dim += 2) {
    const std::uint8_t* pair = groups[dim / 32].codes + dim % 32;
    payload[dim / 2] = static_cast<std::uint8_t>(pair[0] + 16 * pair[1]);
  }
  for (int g = 0; g < 4; ++g) scale_bytes[g] = static_cast<std::uint8_t>(groups[g].byte);
}

std::int64_t integer_at(const keysieve_tensor& tensor, std::int64_t n) {
  return tensor.element == KEYSIEVE_ELEMENT_INT64 ? static_cast<const std::int64_t*>(tensor.data)[n]
                                                  : static_cast<const std::int32_t*>(tensor.data)[n];
}

SlotBytes bytes_of_slot(const keysieve_tensor& cache, std::int64_t slot) {
  const std::int64_t page_slots = cache.shape[1], payload_bytes = cache.shape[2] - 4;
  if (slot < 0 || slot / page_slots >= cache.shape[0]) return {};
  std::uint8_t* page = static_cast<std::uint8_t*>(cache.data) + slot / page_slots * cache.strides[0];
  const std::int64_t entry = slot % page_slots;
  return {page + entry * payload_bytes, page + page_slots * payload_bytes + entry * 4};
}

}  // namespace keysieve::reference

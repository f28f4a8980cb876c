// FP4 groups and caches of keys by their definitions, on double.
#pragma once

#include <cstdint>
#include <vector>

#include "helpers/key_cache.hpp"

namespace keysieve::reference {

// A number and its sign, which NaN keep here too.
struct SignedValue {
  double value = 0;
  bool negative = false;
};
SignedValue signed_bfloat16(std::uint16_t bits);

struct Fp4Group {
  int byte = 0;
  std::uint8_t codes[32] = {};
};
// 32 values with the pack scale.
Fp4Group packed_group(const SignedValue* values, bool ties_to_zero);
// 32 values quantised and back.
void fake_quantise(SignedValue* values);

// Four groups as 64 bytes and a word.
void write_fp4_vector(const Fp4Group* groups, std::uint8_t* payload, std::uint8_t* scale_bytes);

// Entry `n` of an int32 or int64 tensor.
std::int64_t integer_at(const keysieve_tensor& tensor, std::int64_t n);

// Where a slot's bytes are, by the layout; null: outside the cache.
struct SlotBytes {
  std::uint8_t* payload = nullptr;
  std::uint8_t* scale = nullptr;
};
SlotBytes bytes_of_slot(const keysieve_tensor& cache, std::int64_t slot);

}  // namespace keysieve::reference

// Arithmetic and number formats of the kernels around selection: an instruction or two on the GPU, the same bits on the
// host. Apart from simt.hpp, as selection needs none of it.
#pragma once

#include "core/number_formats.hpp"
#include "cuda/simt/simt.hpp"

namespace keysieve::simt {

#if defined(__CUDACC__)

// Coherent, unlike load_streaming: for memory that the same kernel writes, and for what several warps of an SM read.
// `at` is 16-byte aligned.
KEYSIEVE_DEVICE Vector load_vector(const void* at) {
  Vector value;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.words[0]), "=r"(value.words[1]), "=r"(value.words[2]), "=r"(value.words[3])
               : "l"(at));
  return value;
}

KEYSIEVE_DEVICE void store_vector(void* at, const Vector& value) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(value.words[0]), "r"(value.words[1]),
               "r"(value.words[2]), "r"(value.words[3])
               : "memory");
}

// Rounded once an operation and never fused into another.
KEYSIEVE_DEVICE float multiply(float a, float b) { return __fmul_rn(a, b); }
KEYSIEVE_DEVICE float add(float a, float b) { return __fadd_rn(a, b); }
KEYSIEVE_DEVICE float divide(float a, float b) { return __fdiv_rn(a, b); }
KEYSIEVE_DEVICE float square_root(float value) { return __fsqrt_rn(value); }

// Two BF16, to nearest; `low` is at the lower address.
KEYSIEVE_DEVICE std::uint32_t bfloat16_pair(float low, float high) {
  std::uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}

// The two e4m3 of the low half of `pair`, as FP16, exact.
KEYSIEVE_DEVICE std::uint32_t half_pair_from_e4m3(std::uint32_t pair) {
#if __CUDA_ARCH__ >= 890
  std::uint32_t halves;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(static_cast<std::uint16_t>(pair)));
  return halves;
#else
  return half_pair_from_e4m3_bits(pair);
#endif
}

#else

KEYSIEVE_DEVICE Vector load_vector(const void* at) {
  if (reinterpret_cast<std::uintptr_t>(at) % alignof(Vector) != 0) [[unlikely]] {
    host::misuse("load_vector from an address that is not 16-byte aligned");
  }
  Vector value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

KEYSIEVE_DEVICE void store_vector(void* at, const Vector& value) {
  if (reinterpret_cast<std::uintptr_t>(at) % alignof(Vector) != 0) [[unlikely]] {
    host::misuse("store_vector to an address that is not 16-byte aligned");
  }
  std::memcpy(at, &value, sizeof(value));
}

namespace host {
// Through memory, so that the host's compiler cannot fuse two operations.
inline float rounded(float value) {
  const volatile float stored = value;
  return stored;
}
}  // namespace host

KEYSIEVE_DEVICE float multiply(float a, float b) { return host::rounded(a * b); }
KEYSIEVE_DEVICE float add(float a, float b) { return host::rounded(a + b); }
KEYSIEVE_DEVICE float divide(float a, float b) { return host::rounded(a / b); }
KEYSIEVE_DEVICE float square_root(float value) { return std::sqrt(value); }

KEYSIEVE_DEVICE std::uint32_t bfloat16_pair(float low, float high) {
  return bfloat16_from_float(low) | static_cast<std::uint32_t>(bfloat16_from_float(high)) << 16;
}
KEYSIEVE_DEVICE std::uint32_t half_pair_from_e4m3(std::uint32_t pair) { return half_pair_from_e4m3_bits(pair); }

#endif

}  // namespace keysieve::simt

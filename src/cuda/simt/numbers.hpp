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

// 8 and 4 bytes; `at` is aligned to them.
KEYSIEVE_DEVICE void store_pair(void* at, std::uint32_t low, std::uint32_t high) {
  asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(at), "r"(low), "r"(high) : "memory");
}
KEYSIEVE_DEVICE void store_word(void* at, std::uint32_t word) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(word) : "memory");
}
// 16 bytes that other blocks of this multiprocessor read too: kept in L1. Nothing in this launch writes them.
KEYSIEVE_DEVICE Vector load_shared_input(const void* at) {
  Vector value;
  asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.words[0]), "=r"(value.words[1]), "=r"(value.words[2]), "=r"(value.words[3])
               : "l"(at));
  return value;
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

// The larger of each half, BF16; 0x7FFF where either is NaN. +0 is above -0.
KEYSIEVE_DEVICE std::uint32_t max_or_nan_bfloat(std::uint32_t a, std::uint32_t b) {
  std::uint32_t most;
  asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(most) : "r"(a), "r"(b));
  return most;
}

// Two e4m3 in the low half, to nearest, saturated; `low` is at the lower address.
KEYSIEVE_DEVICE std::uint32_t e4m3_pair(float low, float high) {
#if __CUDA_ARCH__ >= 890
  std::uint16_t pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  return pair;
#else
  return e4m3_from_float(low) | static_cast<std::uint32_t>(e4m3_from_float(high)) << 8;
#endif
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

KEYSIEVE_DEVICE void store_pair(void* at, std::uint32_t low, std::uint32_t high) {
  if (reinterpret_cast<std::uintptr_t>(at) % 8 != 0) [[unlikely]] {
    host::misuse("store_pair to an address that is not 8-byte aligned");
  }
  const std::uint32_t pair[2] = {low, high};
  std::memcpy(at, pair, sizeof(pair));
}
KEYSIEVE_DEVICE void store_word(void* at, std::uint32_t word) {
  if (reinterpret_cast<std::uintptr_t>(at) % 4 != 0) [[unlikely]] {
    host::misuse("store_word to an address that is not 4-byte aligned");
  }
  std::memcpy(at, &word, sizeof(word));
}
KEYSIEVE_DEVICE Vector load_shared_input(const void* at) { return load_streaming(at); }

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
KEYSIEVE_DEVICE std::uint32_t max_or_nan_bfloat(std::uint32_t a, std::uint32_t b) {
  std::uint32_t most = 0;
  for (int shift = 0; shift < 32; shift += 16) {
    const std::uint32_t x = (a >> shift) & 0xFFFFu, y = (b >> shift) & 0xFFFFu;
    const float first = float_of(x << 16), second = float_of(y << 16);
    std::uint32_t larger = first > second ? x : second > first ? y : x & y;
    if (std::isnan(first) || std::isnan(second)) larger = 0x7FFFu;
    most |= larger << shift;
  }
  return most;
}
KEYSIEVE_DEVICE std::uint32_t e4m3_pair(float low, float high) {
  return e4m3_from_float(low) | static_cast<std::uint32_t>(e4m3_from_float(high)) << 8;
}
KEYSIEVE_DEVICE std::uint32_t half_pair_from_e4m3(std::uint32_t pair) { return half_pair_from_e4m3_bits(pair); }

#endif

}  // namespace keysieve::simt

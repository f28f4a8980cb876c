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

// To global memory, where the compiler cannot tell from a pointer's history that it is.
KEYSIEVE_DEVICE void store_float(float* at, float value) {
  asm volatile("st.global.f32 [%0], %1;" ::"l"(at), "f"(value) : "memory");
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

// a * b + c for the two BF16 of a word, rounded once.
KEYSIEVE_DEVICE std::uint32_t multiply_add_bfloat(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t sum;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
  return sum;
}
// The smaller of each half, BF16; NaN counts as none.
KEYSIEVE_DEVICE std::uint32_t min_numbers_bfloat(std::uint32_t a, std::uint32_t b) {
  std::uint32_t least;
  asm("min.bf16x2 %0, %1, %2;" : "=r"(least) : "r"(a), "r"(b));
  return least;
}
// Four bytes of the eight of a and b; from the lowest up, a digit of `which` picks each: 0 to 3 of a, 4 to 7 of b.
KEYSIEVE_DEVICE std::uint32_t pick_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t which) {
  return __byte_perm(a, b, which);
}

// (a ^ b) | c. The compiler takes two instructions for it where it knows what a ^ b is.
KEYSIEVE_DEVICE std::uint32_t xor_then_or(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t result;
  asm("lop3.b32 %0, %1, %2, %3, 0xBE;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
// One half of a word in both. Written as halves, it costs nothing where arithmetic on pairs takes it.
KEYSIEVE_DEVICE std::uint32_t low_half_twice(std::uint32_t word) {
  std::uint32_t both;
  asm("{\n\t.reg .b16 low, high;\n\tmov.b32 {low, high}, %1;\n\tmov.b32 %0, {low, low};\n}" : "=r"(both) : "r"(word));
  return both;
}
KEYSIEVE_DEVICE std::uint32_t high_half_twice(std::uint32_t word) {
  std::uint32_t both;
  asm("{\n\t.reg .b16 low, high;\n\tmov.b32 {low, high}, %1;\n\tmov.b32 %0, {high, high};\n}" : "=r"(both) : "r"(word));
  return both;
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

KEYSIEVE_DEVICE void store_float(float* at, float value) { *at = value; }
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

namespace host {
// Rounding to float on the way must not make a tie: what it cuts off leaves the last bit set.
inline std::uint16_t bfloat16_from_double(double value) {
  auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(nearest) || std::isinf(nearest)) {
    return bfloat16_from_float(nearest);
  }
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value)) nearest = std::nextafter(nearest, 0.0f);
  return bfloat16_from_float(float_of(bits_of(nearest) | 1u));
}
}  // namespace host

KEYSIEVE_DEVICE std::uint32_t multiply_add_bfloat(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t sum = 0;
  for (int shift = 0; shift < 32; shift += 16) {
    const auto value = [&](std::uint32_t pair) {
      return static_cast<double>(float_from_bfloat16(static_cast<std::uint16_t>(pair >> shift)));
    };
    sum |= static_cast<std::uint32_t>(host::bfloat16_from_double(std::fma(value(a), value(b), value(c)))) << shift;
  }
  return sum;
}
KEYSIEVE_DEVICE std::uint32_t min_numbers_bfloat(std::uint32_t a, std::uint32_t b) {
  std::uint32_t least = 0;
  for (int shift = 0; shift < 32; shift += 16) {
    const auto x = static_cast<std::uint16_t>(a >> shift), y = static_cast<std::uint16_t>(b >> shift);
    const bool takes_x = std::isnan(float_from_bfloat16(y)) || float_from_bfloat16(x) < float_from_bfloat16(y);
    least |= static_cast<std::uint32_t>(takes_x ? x : y) << shift;
  }
  return least;
}
KEYSIEVE_DEVICE std::uint32_t xor_then_or(std::uint32_t a, std::uint32_t b, std::uint32_t c) { return (a ^ b) | c; }
KEYSIEVE_DEVICE std::uint32_t low_half_twice(std::uint32_t word) { return (word & 0xFFFFu) * 0x00010001u; }
KEYSIEVE_DEVICE std::uint32_t high_half_twice(std::uint32_t word) { return (word >> 16) * 0x00010001u; }
KEYSIEVE_DEVICE std::uint32_t pick_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t which) {
  const std::uint64_t bytes = (std::uint64_t{b} << 32) | a;
  std::uint32_t picked = 0;
  for (int i = 0; i < 4; ++i) {
    picked |= static_cast<std::uint32_t>((bytes >> (8 * ((which >> (4 * i)) & 7u))) & 0xFFu) << (8 * i);
  }
  return picked;
}

#endif

}  // namespace keysieve::simt

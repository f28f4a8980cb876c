// simt.hpp on the GPU. Every function is one or two instructions.
#pragma once

#include <cstddef>
#include <cstdint>

#define KEYSIEVE_DEVICE __device__ __forceinline__
#define KEYSIEVE_UNROLL _Pragma("unroll")
#define KEYSIEVE_UNROLL_BY_4 _Pragma("unroll 4")
#define KEYSIEVE_NO_UNROLL _Pragma("unroll 1")

namespace keysieve::simt {

inline constexpr int kWarpLanes = 32;
inline constexpr unsigned kAllLanes = 0xFFFFFFFFu;

// 16 bytes, the widest load.
struct alignas(16) Vector {
  std::uint32_t words[4];
};

KEYSIEVE_DEVICE int thread_index() { return static_cast<int>(threadIdx.x); }
// The same, read anew: kept, it would take a register from what comes in between.
KEYSIEVE_DEVICE int thread_index_again() {
  int index;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(index));
  return index;
}
KEYSIEVE_DEVICE int block_threads() { return static_cast<int>(blockDim.x); }
KEYSIEVE_DEVICE int lane_index() { return static_cast<int>(threadIdx.x % kWarpLanes); }
// The same value in every lane, and known to be so by the compiler: what depends on it stays out of the lanes.
KEYSIEVE_DEVICE int warp_index() { return __shfl_sync(kAllLanes, static_cast<int>(threadIdx.x / kWarpLanes), 0); }
KEYSIEVE_DEVICE int block_warps() { return static_cast<int>(blockDim.x / kWarpLanes); }
KEYSIEVE_DEVICE std::int64_t block_index() { return blockIdx.x; }
KEYSIEVE_DEVICE std::int64_t num_blocks() { return gridDim.x; }

// The block's dynamic shared memory, 16-byte aligned, unspecified contents.
KEYSIEVE_DEVICE std::byte* shared_memory() {
  extern __shared__ Vector keysieve_shared[];
  return reinterpret_cast<std::byte*>(keysieve_shared);
}

KEYSIEVE_DEVICE void sync_block() { __syncthreads(); }
KEYSIEVE_DEVICE bool sync_block_or(bool value) { return __syncthreads_or(value) != 0; }
KEYSIEVE_DEVICE int sync_block_count(bool value) { return __syncthreads_count(value); }

KEYSIEVE_DEVICE void sync_warp() { __syncwarp(); }
KEYSIEVE_DEVICE std::uint32_t warp_ballot(bool value) { return __ballot_sync(kAllLanes, value); }
KEYSIEVE_DEVICE bool warp_any(bool value) { return __any_sync(kAllLanes, value) != 0; }
KEYSIEVE_DEVICE bool warp_all(bool value) { return __all_sync(kAllLanes, value) != 0; }
KEYSIEVE_DEVICE std::uint32_t warp_sum(std::uint32_t value) { return __reduce_add_sync(kAllLanes, value); }
KEYSIEVE_DEVICE std::uint32_t warp_max(std::uint32_t value) { return __reduce_max_sync(kAllLanes, value); }
KEYSIEVE_DEVICE std::uint32_t warp_min(std::uint32_t value) { return __reduce_min_sync(kAllLanes, value); }
template <typename T>
KEYSIEVE_DEVICE T shuffle(T value, int source_lane) {
  return __shfl_sync(kAllLanes, value, source_lane);
}
template <typename T>
KEYSIEVE_DEVICE T shuffle_up(T value, int lanes) {  // lanes below `lanes` keep their own
  return __shfl_up_sync(kAllLanes, value, lanes);
}
template <typename T>
KEYSIEVE_DEVICE T shuffle_down(T value, int lanes) {
  return __shfl_down_sync(kAllLanes, value, lanes);
}
template <typename T>
KEYSIEVE_DEVICE T shuffle_xor(T value, int mask) {
  return __shfl_xor_sync(kAllLanes, value, mask);
}

// value + that of the lane `lanes` below, if there is one. The shuffle itself tells, which spares a comparison.
KEYSIEVE_DEVICE std::uint32_t add_from_below(std::uint32_t value, int lanes) {
  asm("{\n\t.reg .u32 below;\n\t.reg .pred exists;\n\t"
      "shfl.sync.up.b32 below|exists, %0, %1, 0, 0xFFFFFFFF;\n\t@exists add.u32 %0, %0, below;\n}"
      : "+r"(value)
      : "r"(lanes));
  return value;
}

KEYSIEVE_DEVICE int count_ones(std::uint32_t value) { return __popc(value); }
// Index of the lowest set bit; `value` is not 0.
KEYSIEVE_DEVICE int lowest_bit(std::uint32_t value) { return __ffs(static_cast<int>(value)) - 1; }
// The highest.
KEYSIEVE_DEVICE int highest_bit(std::uint32_t value) { return 31 - __clz(static_cast<int>(value)); }
KEYSIEVE_DEVICE std::uint32_t bits_from_float(float value) { return __float_as_uint(value); }
// mask * 2 + the sign bit of `value`.
KEYSIEVE_DEVICE std::uint32_t shift_in_sign(std::uint32_t mask, float value) {
  return __funnelshift_l(__float_as_uint(value), mask, 1);
}
// The larger of two numbers; NaN counts as none. Of +0 and -0 either.
KEYSIEVE_DEVICE float max_number(float a, float b) { return fmaxf(a, b); }
KEYSIEVE_DEVICE float min_number(float a, float b) { return fminf(a, b); }
// a * b + c, rounded once.
KEYSIEVE_DEVICE float multiply_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
// max_number for the two halves of a word, FP16 or BF16.
KEYSIEVE_DEVICE std::uint32_t max_numbers_half(std::uint32_t a, std::uint32_t b) {
  std::uint32_t most;
  asm("max.f16x2 %0, %1, %2;" : "=r"(most) : "r"(a), "r"(b));
  return most;
}
KEYSIEVE_DEVICE std::uint32_t max_numbers_bfloat(std::uint32_t a, std::uint32_t b) {
  std::uint32_t most;
  asm("max.bf16x2 %0, %1, %2;" : "=r"(most) : "r"(a), "r"(b));
  return most;
}
// count - (a > b): a subtraction and its borrow, where a comparison and an addition are three instructions.
KEYSIEVE_DEVICE std::uint32_t uncount_if_above(std::uint32_t count, std::uint32_t a, std::uint32_t b) {
  asm("{\n\t.reg .u32 difference;\n\tsub.cc.u32 difference, %2, %1;\n\tsubc.u32 %0, %0, 0;\n}"
      : "+r"(count)
      : "r"(a), "r"(b));
  return count;
}
KEYSIEVE_DEVICE float float_from_bits(std::uint32_t bits) { return __uint_as_float(bits); }
// Exact: subnormals stay what they are.
KEYSIEVE_DEVICE float float_from_half(std::uint16_t bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
// For estimates only: a few units in the last place off, and not the same everywhere.
KEYSIEVE_DEVICE float approximate_quotient(float a, float b) { return __fdividef(a, b); }
KEYSIEVE_DEVICE float approximate_root(float value) {
  float root;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(value));
  return root;
}
KEYSIEVE_DEVICE int leading_zeros(std::uint64_t value) { return __clzll(static_cast<long long>(value)); }

// Relaxed read-modify-writes; the old value comes back. Shared or global memory.
KEYSIEVE_DEVICE std::uint32_t atomic_add(std::uint32_t* at, std::uint32_t value) { return ::atomicAdd(at, value); }
KEYSIEVE_DEVICE void atomic_min(std::uint32_t* at, std::uint32_t value) { ::atomicMin(at, value); }
KEYSIEVE_DEVICE void atomic_max(std::uint32_t* at, std::uint32_t value) { ::atomicMax(at, value); }
KEYSIEVE_DEVICE void atomic_or(std::uint32_t* at, std::uint32_t value) { ::atomicOr(at, value); }

// The same number, which the compiler knows nothing about.
KEYSIEVE_DEVICE std::int32_t unknown(std::int32_t value) {
  asm volatile("" : "+r"(value));
  return value;
}

KEYSIEVE_DEVICE float unknown(float value) {
  asm volatile("" : "+f"(value));
  return value;
}

// A read that the compiler may neither drop nor reuse.
KEYSIEVE_DEVICE std::uint32_t load_volatile(const std::uint32_t* at) {
  return *static_cast<const volatile std::uint32_t*>(at);
}

// Scores are read once and not kept in L1. `at` is 16-byte aligned.
KEYSIEVE_DEVICE Vector load_streaming(const void* at) {
  Vector value;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.words[0]), "=r"(value.words[1]), "=r"(value.words[2]), "=r"(value.words[3])
               : "l"(at));
  return value;
}

// Blocks until the kernels in front, on which this launch depends, have completed and their writes are visible.
// Nothing in global memory is touched before it. Free where the launch was an ordinary one.
KEYSIEVE_DEVICE void wait_for_dependencies() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace keysieve::simt

// simt.hpp on the host: every thread of a block is a fiber (launch.hpp runs them). What is asked often is inline
// and reads the running fiber's record; what waits for other threads is in scheduler.cpp.
//
// Where the host cannot be like the GPU: a fiber is only left inside a collective. So a read-modify-write without
// an atomic is never torn, and a warp operation orders memory like sync_warp does, which on the GPU it need not.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#define KEYSIEVE_DEVICE inline
#define KEYSIEVE_UNROLL
#define KEYSIEVE_UNROLL_BY_4
#define KEYSIEVE_NO_UNROLL

namespace keysieve::simt {

inline constexpr int kWarpLanes = 32;
inline constexpr unsigned kAllLanes = 0xFFFFFFFFu;

struct alignas(16) Vector {
  std::uint32_t words[4];
};

namespace host {

enum class Collective : std::uint8_t {
  kReturn,  // from the kernel: a place, too, that all lanes of a warp reach together
  kSyncWarp,
  kBallot,
  kAny,
  kAll,
  kSum,
  kMax,
  kMin,
  kShuffle,
  kShuffleUp,
  kShuffleDown,
  kShuffleXor,
  kSyncBlock,
  kSyncBlockOr,
  kSyncBlockCount,
  kSyncCluster,
};

struct BlockInfo {
  std::int64_t index = 0;
  std::int64_t num_blocks = 0;
  std::int64_t shared_bytes = 0;
  std::byte* shared = nullptr;
  int threads = 0;
  int cluster_rank = 0;
  int cluster_blocks = 1;
};

struct ThreadInfo {
  BlockInfo* block = nullptr;
  int index = 0;
  int lane = 0;
  int warp = 0;
  // On the GPU warp_index() is a warp operation. Here it does not wait; lanes whose counts differ are reported.
  std::uint32_t warp_index_calls = 0;
};

extern constinit thread_local ThreadInfo* current;

[[noreturn]] void outside_of_a_launch();                        // throws std::logic_error
[[noreturn]] void misuse(const char* rule);                     // ends the launch; run_on_host returns the text
std::uint32_t warp_vote(Collective kind, std::uint32_t value);  // sync_warp and all that gives one value per warp
std::uint64_t warp_exchange(Collective kind, std::uint64_t value, int source_lane);
int block_vote(Collective kind, bool value);  // how many are true
void count_dependency_wait();

inline ThreadInfo& here() {
  if (current == nullptr) [[unlikely]]
    outside_of_a_launch();
  return *current;
}

template <typename T>
T exchange(Collective kind, T value, int source_lane) {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "the GPU shuffles numbers of up to 8 bytes");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = warp_exchange(kind, bits, source_lane);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

// The GPU looks at the low 5 bits alone, so 32 would act like 0.
inline int checked_distance(int lanes) {
  if (lanes < 0 || lanes >= kWarpLanes) misuse("a shuffle distance outside 0 to 31");
  return lanes;
}

}  // namespace host

KEYSIEVE_DEVICE int thread_index() { return host::here().index; }
KEYSIEVE_DEVICE int thread_index_again() { return thread_index(); }
KEYSIEVE_DEVICE int block_threads() { return host::here().block->threads; }
KEYSIEVE_DEVICE int lane_index() { return host::here().lane; }
KEYSIEVE_DEVICE int warp_index() {
  host::ThreadInfo& thread = host::here();
  ++thread.warp_index_calls;
  return thread.warp;
}
KEYSIEVE_DEVICE int block_warps() { return host::here().block->threads / kWarpLanes; }
KEYSIEVE_DEVICE std::int64_t block_index() { return host::here().block->index; }
KEYSIEVE_DEVICE std::int64_t num_blocks() { return host::here().block->num_blocks; }

KEYSIEVE_DEVICE std::byte* shared_memory() { return host::here().block->shared; }

KEYSIEVE_DEVICE void sync_block() { host::block_vote(host::Collective::kSyncBlock, false); }
KEYSIEVE_DEVICE bool sync_block_or(bool value) { return host::block_vote(host::Collective::kSyncBlockOr, value) != 0; }
KEYSIEVE_DEVICE int sync_block_count(bool value) { return host::block_vote(host::Collective::kSyncBlockCount, value); }

KEYSIEVE_DEVICE void sync_warp() { host::warp_vote(host::Collective::kSyncWarp, 0); }
KEYSIEVE_DEVICE std::uint32_t warp_ballot(bool value) { return host::warp_vote(host::Collective::kBallot, value); }
KEYSIEVE_DEVICE bool warp_any(bool value) { return host::warp_vote(host::Collective::kAny, value) != 0; }
KEYSIEVE_DEVICE bool warp_all(bool value) { return host::warp_vote(host::Collective::kAll, value) != 0; }
KEYSIEVE_DEVICE std::uint32_t warp_sum(std::uint32_t value) { return host::warp_vote(host::Collective::kSum, value); }
KEYSIEVE_DEVICE std::uint32_t warp_max(std::uint32_t value) { return host::warp_vote(host::Collective::kMax, value); }
KEYSIEVE_DEVICE std::uint32_t warp_min(std::uint32_t value) { return host::warp_vote(host::Collective::kMin, value); }
template <typename T>
KEYSIEVE_DEVICE T shuffle(T value, int source_lane) {  // a lane outside 0 to 31 wraps, as on the GPU
  return host::exchange(host::Collective::kShuffle, value, source_lane & (kWarpLanes - 1));
}
template <typename T>
KEYSIEVE_DEVICE T shuffle_up(T value, int lanes) {
  const int source = lane_index() - host::checked_distance(lanes);
  return host::exchange(host::Collective::kShuffleUp, value, source < 0 ? lane_index() : source);
}
template <typename T>
KEYSIEVE_DEVICE T shuffle_down(T value, int lanes) {
  const int source = lane_index() + host::checked_distance(lanes);
  return host::exchange(host::Collective::kShuffleDown, value, source >= kWarpLanes ? lane_index() : source);
}
template <typename T>
KEYSIEVE_DEVICE T shuffle_xor(T value, int mask) {
  return host::exchange(host::Collective::kShuffleXor, value, lane_index() ^ host::checked_distance(mask));
}

KEYSIEVE_DEVICE std::uint32_t add_from_below(std::uint32_t value, int lanes) {
  const std::uint32_t below = shuffle_up(value, lanes);
  return lane_index() >= lanes ? value + below : value;
}

KEYSIEVE_DEVICE int count_ones(std::uint32_t value) { return std::popcount(value); }
KEYSIEVE_DEVICE int lowest_bit(std::uint32_t value) {
  if (value == 0) [[unlikely]]
    host::misuse("lowest_bit of 0");
  return std::countr_zero(value);
}
KEYSIEVE_DEVICE int highest_bit(std::uint32_t value) {
  if (value == 0) [[unlikely]]
    host::misuse("highest_bit of 0");
  return 31 - std::countl_zero(value);
}
KEYSIEVE_DEVICE std::uint32_t bits_from_float(float value) { return std::bit_cast<std::uint32_t>(value); }
KEYSIEVE_DEVICE std::uint32_t shift_in_sign(std::uint32_t mask, float value) {
  // The GPU's NaN has no sign; here it may.
  return (mask << 1) | (value < 0 || (value == 0 && bits_from_float(value) != 0) ? 1u : 0u);
}
KEYSIEVE_DEVICE float float_from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }
KEYSIEVE_DEVICE float float_from_half(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7FFFu;
  if (magnitude >= 0x7C00) return float_from_bits(sign | 0x7F800000u | (magnitude & 0x3FFu) << 13);
  if (magnitude >= 0x0400) return float_from_bits(sign | ((magnitude << 13) + ((127u - 15u) << 23)));
  // Subnormal: a whole number of 2^-24.
  const float value = static_cast<float>(magnitude) * 0x1p-24f;
  return sign != 0 ? -value : value;
}
// Not std::fmax, which makes a signaling NaN of one operand a NaN of the result.
KEYSIEVE_DEVICE float max_number(float a, float b) { return b != b || a >= b ? a : b; }
KEYSIEVE_DEVICE float min_number(float a, float b) { return b != b || a <= b ? a : b; }
KEYSIEVE_DEVICE float multiply_add(float a, float b, float c) { return std::fma(a, b, c); }
template <typename Value>
std::uint32_t max_of_halves(std::uint32_t a, std::uint32_t b, const Value& value) {
  std::uint32_t most = 0;
  for (int shift = 0; shift < 32; shift += 16) {
    const auto x = static_cast<std::uint16_t>(a >> shift), y = static_cast<std::uint16_t>(b >> shift);
    const bool takes_x = std::isnan(value(y)) || value(x) > value(y);
    most |= static_cast<std::uint32_t>(takes_x ? x : y) << shift;
  }
  return most;
}
KEYSIEVE_DEVICE std::uint32_t max_numbers_half(std::uint32_t a, std::uint32_t b) {
  return max_of_halves(a, b, [](std::uint16_t bits) { return float_from_half(bits); });
}
KEYSIEVE_DEVICE std::uint32_t max_numbers_bfloat(std::uint32_t a, std::uint32_t b) {
  return max_of_halves(a, b, [](std::uint16_t bits) { return float_from_bits(std::uint32_t{bits} << 16); });
}
KEYSIEVE_DEVICE std::uint32_t uncount_if_above(std::uint32_t count, std::uint32_t a, std::uint32_t b) {
  return count - (a > b ? 1u : 0u);
}
KEYSIEVE_DEVICE float approximate_quotient(float a, float b) { return a / b; }
KEYSIEVE_DEVICE float approximate_root(float value) { return std::sqrt(value); }
KEYSIEVE_DEVICE int leading_zeros(std::uint64_t value) { return std::countl_zero(value); }

KEYSIEVE_DEVICE std::uint32_t atomic_add(std::uint32_t* at, std::uint32_t value) {
  const std::uint32_t before = *at;
  *at = before + value;
  return before;
}
KEYSIEVE_DEVICE void atomic_min(std::uint32_t* at, std::uint32_t value) {
  if (value < *at) *at = value;
}
KEYSIEVE_DEVICE void atomic_max(std::uint32_t* at, std::uint32_t value) {
  if (value > *at) *at = value;
}
KEYSIEVE_DEVICE void atomic_or(std::uint32_t* at, std::uint32_t value) { *at |= value; }

KEYSIEVE_DEVICE std::int32_t unknown(std::int32_t value) { return value; }
KEYSIEVE_DEVICE float unknown(float value) { return value; }

KEYSIEVE_DEVICE std::uint32_t load_volatile(const std::uint32_t* at) {
  return *static_cast<const volatile std::uint32_t*>(at);
}

KEYSIEVE_DEVICE Vector load_streaming(const void* at) {
  if (reinterpret_cast<std::uintptr_t>(at) % alignof(Vector) != 0) [[unlikely]] {
    host::misuse("load_streaming from an address that is not 16-byte aligned");
  }
  Vector value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

KEYSIEVE_DEVICE void wait_for_dependencies() { host::count_dependency_wait(); }

}  // namespace keysieve::simt

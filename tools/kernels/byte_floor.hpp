// The yardstick of the kernels around selection: so many bytes read once and so many written once, and nothing else.
// And inputs for them, made on the device.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace keysieve::kernel_bench {

// Launch shapes; the fastest one of a cell is its floor.
inline constexpr int kByteFloorShapes = 6;

// `from` and `to` are 16-byte aligned; sizes are rounded down to 16 bytes, but are at least that.
void enqueue_byte_floor(const void* from, std::int64_t read_bytes, void* to, std::int64_t write_bytes, int shape,
                        std::uint32_t* sink, cudaStream_t stream);

void enqueue_empty_kernel(cudaStream_t stream);

// Numbers of magnitude 2^-4 to 2^4 with random signs and mantissas.
void fill_bfloat16(void* to, std::int64_t count, std::uint32_t seed, cudaStream_t stream);
// In (-1, 1).
void fill_float32(void* to, std::int64_t count, std::uint32_t seed, cudaStream_t stream);
// In [low, low + span).
void fill_int32(void* to, std::int64_t count, std::int32_t low, std::uint32_t span, std::uint32_t seed,
                cudaStream_t stream);
void fill_int64(void* to, std::int64_t count, std::int64_t low, std::uint32_t span, std::uint32_t seed,
                cudaStream_t stream);
// In [low, low + span).
void fill_bytes(void* to, std::int64_t count, std::uint8_t low, std::uint32_t span, std::uint32_t seed,
                cudaStream_t stream);
// low, low + 1, ...
void fill_sequence(void* to, std::int64_t count, std::int32_t low, cudaStream_t stream);

}  // namespace keysieve::kernel_bench

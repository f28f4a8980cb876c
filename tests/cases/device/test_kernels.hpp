// Kernels of the tests themselves, behind host functions: only test_kernels.cu needs the CUDA compiler.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keysieve::test {

inline constexpr std::uint64_t kNothingFound = ~std::uint64_t{0};

// Offset of the first byte that is not as it should be, or kNothingFound, which is also what each field must hold
// before.
struct AuditReport {
  std::uint64_t changed_input = kNothingFound;
  std::uint64_t workspace_front = kNothingFound;
  std::uint64_t workspace_back = kNothingFound;
};

// Inputs and their copy are compared; the two guards must hold the canary in every byte.
struct AuditTask {
  const std::byte* inputs = nullptr;
  const std::byte* copy = nullptr;
  std::size_t input_bytes = 0;
  const std::byte* front = nullptr;
  const std::byte* back = nullptr;
  std::size_t guard_bytes = 0;
  std::uint8_t canary = 0;
  AuditReport* report = nullptr;  // on the device
};
void audit(const AuditTask& task, cudaStream_t stream);

// The score that the producer writes: an integer below 2^24, so that host and device agree to the bit.
float produced_score(std::uint32_t element, std::uint32_t salt);

// Fills `scores`. Dependents may start at once: they see the scores only if they wait for this kernel's completion,
// since the writes begin `delay_microseconds` later. Itself launched as a dependent.
void produce_scores(float* scores, std::int64_t elements, std::uint32_t salt, std::uint32_t delay_microseconds,
                    cudaStream_t stream);

// Copies as a dependent of the kernel in front.
void copy_indices(const std::int32_t* from, std::int32_t* to, std::int64_t elements, cudaStream_t stream);

// `blocks` blocks of one SM's whole shared memory each stay until *release is not 0 or the time is over.
// *entered counts the blocks that have begun.
void occupy(int blocks, const std::uint32_t* release, std::uint32_t* entered, std::uint32_t limit_milliseconds,
            cudaStream_t stream);

// Takes time and nothing else.
void spin(std::uint32_t microseconds, cudaStream_t stream);

// Changes one byte on purpose, for tests of the tests.
void flip_byte(std::byte* byte, cudaStream_t stream);

}  // namespace keysieve::test

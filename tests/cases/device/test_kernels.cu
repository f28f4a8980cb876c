#include <algorithm>
#include <stdexcept>
#include <string>

#include "test_kernels.hpp"

namespace keysieve::test {
namespace {

constexpr int kThreads = 256;
constexpr int kMostBlocks = 1024;

void check_launch(cudaError_t error, const char* name) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(name) + ": " + cudaGetErrorString(error));
}

unsigned int blocks_for(std::size_t work) {
  return static_cast<unsigned int>(std::clamp<std::size_t>((work + kThreads - 1) / kThreads, 1, kMostBlocks));
}

__device__ std::uint64_t now_nanoseconds() {
  std::uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

__device__ void wait_microseconds(std::uint32_t microseconds) {
  const std::uint64_t begin = now_nanoseconds();
  while (now_nanoseconds() - begin < std::uint64_t{microseconds} * 1000) __nanosleep(200);
}

__device__ void note(std::uint64_t& first, std::uint64_t offset) {
  atomicMin(reinterpret_cast<unsigned long long*>(&first), static_cast<unsigned long long>(offset));
}

__device__ void audit_guard(const std::byte* guard, const AuditTask& task, std::size_t index, std::uint64_t& first) {
  if (guard != nullptr && index < task.guard_bytes && static_cast<std::uint8_t>(guard[index]) != task.canary) {
    note(first, index);
  }
}

__global__ void audit_kernel(AuditTask task) {
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  const auto* inputs = reinterpret_cast<const uint4*>(task.inputs);
  const auto* copy = reinterpret_cast<const uint4*>(task.copy);
  for (std::size_t i = first; i < task.input_bytes / 16; i += step) {
    const uint4 a = inputs[i], b = copy[i];
    if (a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w) {
      for (std::size_t byte = 16 * i; byte < 16 * i + 16; ++byte) {
        if (task.inputs[byte] != task.copy[byte]) note(task.report->changed_input, byte);
      }
    }
  }
  audit_guard(task.front, task, first, task.report->workspace_front);
  audit_guard(task.back, task, first, task.report->workspace_back);
}

__host__ __device__ float score_of(std::uint32_t element, std::uint32_t salt) {
  std::uint32_t x = element * 0x9E3779B1u ^ salt * 0x85EBCA77u;
  x ^= x >> 16;
  x *= 0x7FEB352Du;
  x ^= x >> 15;
  x *= 0x846CA68Bu;
  x ^= x >> 16;
  return static_cast<float>(x >> 8);
}

__global__ void produce_kernel(float* scores, std::int64_t elements, std::uint32_t salt, std::uint32_t delay) {
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
  wait_microseconds(delay);
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < elements; i += step) {
    scores[i] = score_of(static_cast<std::uint32_t>(i), salt);
  }
}

__global__ void copy_kernel(const std::int32_t* from, std::int32_t* to, std::int64_t elements) {
  cudaGridDependencySynchronize();
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < elements; i += step) to[i] = from[i];
}

__global__ void occupy_kernel(const volatile std::uint32_t* release, std::uint32_t* entered, std::uint32_t limit) {
  if (threadIdx.x != 0) return;
  atomicAdd(entered, 1u);
  const std::uint64_t begin = now_nanoseconds();
  while (*release == 0 && now_nanoseconds() - begin < std::uint64_t{limit} * 1000000) __nanosleep(1000);
}

__global__ void spin_kernel(std::uint32_t microseconds) { wait_microseconds(microseconds); }

__global__ void flip_kernel(std::uint8_t* byte) { *byte = static_cast<std::uint8_t>(~*byte); }

// Launched with programmatic stream serialization: may begin before the kernel in front has ended.
template <typename... Parameters, typename... Arguments>
void launch_dependent(const char* name, void (*kernel)(Parameters...), unsigned int blocks, cudaStream_t stream,
                      Arguments... arguments) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(kThreads);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  check_launch(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), name);
}

}  // namespace

void audit(const AuditTask& task, cudaStream_t stream) {
  const std::size_t work = std::max(task.input_bytes / 16, task.guard_bytes);
  audit_kernel<<<blocks_for(work), kThreads, 0, stream>>>(task);
  check_launch(cudaGetLastError(), "audit");
}

float produced_score(std::uint32_t element, std::uint32_t salt) { return score_of(element, salt); }

void produce_scores(float* scores, std::int64_t elements, std::uint32_t salt, std::uint32_t delay_microseconds,
                    cudaStream_t stream) {
  // Few blocks: a delayed producer must leave room for the dependents that start early.
  const unsigned int blocks = std::min(blocks_for(static_cast<std::size_t>(elements)), 32u);
  launch_dependent("produce_scores", produce_kernel, blocks, stream, scores, elements, salt, delay_microseconds);
}

void copy_indices(const std::int32_t* from, std::int32_t* to, std::int64_t elements, cudaStream_t stream) {
  const unsigned int blocks = std::min(blocks_for(static_cast<std::size_t>(elements)), 32u);
  launch_dependent("copy_indices", copy_kernel, blocks, stream, from, to, elements);
}

void occupy(int blocks, const std::uint32_t* release, std::uint32_t* entered, std::uint32_t limit_milliseconds,
            cudaStream_t stream) {
  int device = 0, bytes = 0;
  check_launch(cudaGetDevice(&device), "cudaGetDevice");
  check_launch(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "shared memory limit");
  check_launch(cudaFuncSetAttribute(occupy_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "occupy");
  occupy_kernel<<<static_cast<unsigned int>(blocks), 32, static_cast<std::size_t>(bytes), stream>>>(release, entered,
                                                                                                    limit_milliseconds);
  check_launch(cudaGetLastError(), "occupy");
}

void spin(std::uint32_t microseconds, cudaStream_t stream) {
  spin_kernel<<<1, 32, 0, stream>>>(microseconds);
  check_launch(cudaGetLastError(), "spin");
}

void flip_byte(std::byte* byte, cudaStream_t stream) {
  flip_kernel<<<1, 1, 0, stream>>>(reinterpret_cast<std::uint8_t*>(byte));
  check_launch(cudaGetLastError(), "flip_byte");
}

}  // namespace keysieve::test

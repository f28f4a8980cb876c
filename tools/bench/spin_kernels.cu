#include <stdexcept>
#include <string>

#include "bench/busy_sms.hpp"
#include "bench/device.hpp"

namespace keysieve::bench {
namespace {

constexpr int kThreads = 1024;
constexpr int kLiveValues = 52;  // with what else is live, 64 registers a thread: the whole register file of an SM

struct SpinState {
  volatile std::uint32_t stop;
  std::uint32_t started;
  std::uint32_t expired;
  float sink;
};

__device__ std::uint64_t nanoseconds() {
  std::uint64_t time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}

// One CTA an SM, by its shared memory. It ends by the flag, and without it when its time is over.
__global__ void __launch_bounds__(kThreads, 1) spin_kernel(SpinState* state, std::uint64_t limit_ns) {
  extern __shared__ int ends[];
  const std::uint64_t begin = nanoseconds();
  float values[kLiveValues];
#pragma unroll
  for (int i = 0; i < kLiveValues; ++i) values[i] = static_cast<float>(i) * 0.5f + static_cast<float>(threadIdx.x);
  if (threadIdx.x == 0) atomicAdd_system(&state->started, 1u);
  for (;;) {
    // One thread looks into the host's memory, and seldom: the bus is for those who are measured.
    if (threadIdx.x == 0) {
      const bool expired = nanoseconds() - begin > limit_ns;
      if (expired) atomicExch_system(&state->expired, 1u);
      ends[0] = expired || state->stop != 0;
    }
    __syncthreads();
    if (ends[0] != 0) break;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kLiveValues; ++i) values[i] = fmaf(values[i], 0.5f, values[(i + 1) % kLiveValues]);
    __nanosleep(20000);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kLiveValues; ++i) sum += values[i];
  if (sum == -1.0f) state->sink = sum;  // never: the values have to stay in registers
}

}  // namespace

struct BusySms::Shared {
  SpinState state;
};

BusySms::BusySms() {
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  check_cuda(cudaHostAlloc(reinterpret_cast<void**>(&shared_), sizeof(Shared), cudaHostAllocMapped), "cudaHostAlloc");
  check_cuda(cudaHostGetDevicePointer(&device_shared_, shared_, 0), "cudaHostGetDevicePointer");
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&shared_bytes_, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
             "cudaDeviceGetAttribute");
  check_cuda(cudaDeviceGetAttribute(&num_sms_, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  check_cuda(cudaFuncSetAttribute(spin_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes_),
             "cudaFuncSetAttribute");
}

BusySms::~BusySms() {
  stop();
  cudaStreamDestroy(stream_);
  cudaFreeHost(shared_);
}

void BusySms::start(std::int32_t sms) {
  if (sms < 1 || sms >= num_sms_) {
    throw std::runtime_error("busy-sms: expected 1 to " + std::to_string(num_sms_ - 1) + ", got " +
                             std::to_string(sms));
  }
  shared_->state.stop = 0;
  shared_->state.started = 0;
  shared_->state.expired = 0;
  const auto limit_ns = static_cast<std::uint64_t>(std::chrono::nanoseconds(kLimit).count());
  spin_kernel<<<static_cast<unsigned>(sms), kThreads, static_cast<std::size_t>(shared_bytes_), stream_>>>(
      static_cast<SpinState*>(device_shared_), limit_ns);
  check_cuda(cudaGetLastError(), "spinning kernel");
  running_ = true;
  const auto begin = std::chrono::steady_clock::now();
  while (*static_cast<volatile std::uint32_t*>(&shared_->state.started) < static_cast<std::uint32_t>(sms)) {
    if (std::chrono::steady_clock::now() - begin > kLimit) {
      stop();
      throw std::runtime_error("busy-sms: the spinning kernel did not get its SMs");
    }
  }
}

bool BusySms::stop() {
  if (!running_) return true;
  shared_->state.stop = 1;
  running_ = false;
  const cudaError_t error = cudaStreamSynchronize(stream_);
  return error == cudaSuccess && *static_cast<volatile std::uint32_t*>(&shared_->state.expired) == 0;
}

}  // namespace keysieve::bench

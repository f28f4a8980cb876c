#include "bench/cupti_timer.hpp"

#if __has_include(<cupti.h>)
#include <cupti.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace keysieve::bench {
namespace {

#if CUPTI_API_VERSION >= 130000
using KernelRecord = CUpti_ActivityKernel10;
#else
using KernelRecord = CUpti_ActivityKernel9;
#endif

constexpr std::size_t kBufferBytes = std::size_t{4} << 20;
constexpr std::size_t kBufferAlignment = 8;
constexpr const char* kForeignKernel = "spin_kernel";  // of the stream that holds SMs

struct Cupti {
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
};

using Span = std::pair<std::uint64_t, std::uint64_t>;  // start and end, ns

// CUPTI's callbacks carry nothing of the caller's, and it takes them once a process: hence one collector.
struct Collector {
  Cupti cupti;
  std::mutex mutex;
  std::vector<Span> kernels;
};

Collector& collector() {
  static Collector instance;
  return instance;
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *max_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid_bytes) {
  Collector& target = collector();
  const std::lock_guard lock(target.mutex);
  CUpti_Activity* record = nullptr;
  while (valid_bytes > 0 && target.cupti.next_record(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    const auto* kernel = reinterpret_cast<const KernelRecord*>(record);
    if (kernel->name != nullptr && std::strstr(kernel->name, kForeignKernel) != nullptr) continue;
    target.kernels.emplace_back(kernel->start, kernel->end);
  }
  std::free(buffer);
}

void check(CUptiResult result, const char* what) {
  if (result != CUPTI_SUCCESS) {
    throw std::runtime_error(std::string("cupti: ") + what + ": error " + std::to_string(static_cast<int>(result)));
  }
}

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(std::string("--timer: cupti has no ") + name);
}

Cupti load_cupti() {
  const std::string name = "libcupti.so." + std::to_string(CUDART_VERSION / 1000);
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw std::runtime_error("--timer: expected " + name + " for cupti, found none: " + dlerror());
  }
  Cupti cupti;
  find(library, "cuptiActivityRegisterCallbacks", cupti.register_callbacks);
  find(library, "cuptiActivityEnable", cupti.enable);
  find(library, "cuptiActivityDisable", cupti.disable);
  find(library, "cuptiActivityFlushAll", cupti.flush_all);
  find(library, "cuptiActivityGetNextRecord", cupti.next_record);
  return cupti;
}

}  // namespace

CuptiTimer::CuptiTimer(cudaStream_t stream, bool cold) : stream_(stream) {
  Collector& target = collector();
  target.cupti = load_cupti();
  check(target.cupti.register_callbacks(give_buffer, take_buffer), "cuptiActivityRegisterCallbacks");
  check(target.cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "cuptiActivityEnable");
  if (cold) flush_ = std::make_unique<DeviceBuffer>(kFlushBytes);
}

CuptiTimer::~CuptiTimer() { static_cast<void>(collector().cupti.disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)); }

Timing CuptiTimer::time(const Enqueue& enqueue, Mode mode, int samples) {
  Collector& target = collector();
  const auto drain = [&] {
    check_cuda(cudaStreamSynchronize(stream_), "timed calls");
    check(target.cupti.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
  };
  enqueue(stream_);
  drain();
  {
    const std::lock_guard lock(target.mutex);
    target.kernels.clear();
  }
  for (int i = 0; i < samples; ++i) {
    if (mode == Mode::kCold) flush_l2(*flush_, stream_);
    enqueue(stream_);
  }
  drain();
  const std::lock_guard lock(target.mutex);
  std::vector<Span>& kernels = target.kernels;
  std::sort(kernels.begin(), kernels.end());
  const auto calls = static_cast<std::size_t>(samples);
  if (kernels.empty() || kernels.size() % calls != 0) {
    throw std::runtime_error("cupti: expected as many kernels in each of " + std::to_string(samples) +
                             " calls, found " + std::to_string(kernels.size()) + " in all");
  }
  const std::size_t kernels_per_call = kernels.size() / calls;
  std::vector<double> times;
  for (std::size_t call = 0; call < calls; ++call) {
    const Span* first = &kernels[call * kernels_per_call];
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < kernels_per_call; ++i) end = std::max(end, first[i].second);
    times.push_back(static_cast<double>(end - first->first) * 1e-3);
  }
  return summarise(std::move(times));
}

}  // namespace keysieve::bench

#else

#include <stdexcept>

namespace keysieve::bench {

CuptiTimer::CuptiTimer(cudaStream_t, bool) : stream_(nullptr) {
  throw std::runtime_error("--timer: this build was made without the header of cupti");
}
CuptiTimer::~CuptiTimer() = default;
Timing CuptiTimer::time(const Enqueue&, Mode, int) { return {}; }

}  // namespace keysieve::bench

#endif

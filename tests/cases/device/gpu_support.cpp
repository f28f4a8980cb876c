#include "gpu_support.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace keysieve::test {
namespace {

constexpr std::size_t kHoardedBytes = std::size_t{64} << 20;  // larger blocks go back to CUDA at once

std::mutex first_error_mutex;
std::string first_lasting_error;

// Errors that only concern the call that reports them.
bool is_passing(cudaError_t error) {
  return error == cudaErrorInvalidValue || error == cudaErrorMemoryAllocation || error == cudaErrorNotSupported ||
         error == cudaErrorStreamCaptureUnsupported || error == cudaErrorStreamCaptureInvalidated;
}

// Free blocks by kind and size class. Never destroyed: CUDA may be gone before static destructors run.
struct Pool {
  std::mutex mutex;
  std::map<std::pair<PooledMemory::Kind, std::size_t>, std::vector<std::byte*>> free;
};

Pool& pool() {
  static Pool* const instance = new Pool;
  return *instance;
}

std::byte* allocate(PooledMemory::Kind kind, std::size_t bytes) {
  void* memory = nullptr;
  if (kind == PooledMemory::Kind::kDevice) {
    check(cudaMalloc(&memory, bytes), "cudaMalloc");
  } else {
    check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
  }
  return static_cast<std::byte*>(memory);
}

}  // namespace

void check(cudaError_t error, const char* call) {
  const std::lock_guard<std::mutex> lock(first_error_mutex);
  if (error == cudaSuccess && first_lasting_error.empty()) return;
  cudaGetLastError();  // or the next launch is blamed for this call
  std::string text = std::string(call) + ": " + cudaGetErrorName(error) + ", " + cudaGetErrorString(error);
  if (!first_lasting_error.empty()) text += "; the device was lost before: " + first_lasting_error;
  if (first_lasting_error.empty() && !is_passing(error)) first_lasting_error = text;
  throw std::runtime_error(text);
}

std::string gpu_missing() {
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess || count == 0) {
    return std::string("no CUDA device: ") + (error == cudaSuccess ? "none is visible" : cudaGetErrorString(error));
  }
  SelectProblem problem;
  problem.rows = 1;
  problem.width = 64;
  problem.k = 4;
  SelectPlan plan;
  const Status status = try_make_plan(on_gpu(problem, {}), plan);
  if (status.code() == StatusCode::kUnsupported) return "no CUDA engine in this build: " + status.message();
  return {};
}

std::int64_t environment_number(const char* name, std::int64_t usual) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return usual;
  char* end = nullptr;
  const long long value = std::strtoll(text, &end, 0);
  if (*end != '\0') throw std::runtime_error(std::string(name) + ": expected a number, got '" + text + "'");
  return value;
}

bool wants_fresh_memory() {
  static const bool wanted = environment_number("KEYSIEVE_GPU_FRESH_MEMORY", 0) != 0;
  return wanted;
}

PooledMemory::PooledMemory(Kind kind, std::size_t bytes)
    : kind_(kind), bytes_(std::bit_ceil(std::max<std::size_t>(bytes, 4096))) {
  if (bytes_ > kHoardedBytes) bytes_ = (bytes + 4095) / 4096 * 4096;
  {
    const std::lock_guard<std::mutex> lock(pool().mutex);
    auto& blocks = pool().free[{kind_, bytes_}];
    if (!blocks.empty()) {
      data_ = blocks.back();
      blocks.pop_back();
      return;
    }
  }
  data_ = allocate(kind_, bytes_);
}

PooledMemory::~PooledMemory() {
  if (data_ == nullptr) return;
  if (bytes_ > kHoardedBytes || wants_fresh_memory()) {
    kind_ == Kind::kDevice ? cudaFree(data_) : cudaFreeHost(data_);
    return;
  }
  const std::lock_guard<std::mutex> lock(pool().mutex);
  pool().free[{kind_, bytes_}].push_back(data_);
}

PooledMemory::PooledMemory(PooledMemory&& other) noexcept
    : kind_(other.kind_), bytes_(std::exchange(other.bytes_, 0)), data_(std::exchange(other.data_, nullptr)) {}

PooledMemory& PooledMemory::operator=(PooledMemory&& other) noexcept {
  std::swap(kind_, other.kind_);
  std::swap(bytes_, other.bytes_);
  std::swap(data_, other.data_);
  return *this;
}

Stream::Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }

Stream::~Stream() { cudaStreamDestroy(stream_); }

void wait_for(cudaStream_t stream, const std::string& what) {
  // The contract's watchdog is 10 s for a call; several processes may share the device here.
  static const std::chrono::seconds limit(environment_number("KEYSIEVE_GPU_WATCHDOG_SECONDS", 30));
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t turn = 0;; ++turn) {
    const cudaError_t state = cudaStreamQuery(stream);
    if (state == cudaSuccess) {
      cudaGetLastError();  // "not ready" stays behind as the last error
      return;
    }
    if (state != cudaErrorNotReady) {
      try {
        check(state, "run");
      } catch (const std::runtime_error& error) {
        throw std::runtime_error(std::string(error.what()) + "\n  in " + what);
      }
    }
    if (turn % 64 == 0) std::this_thread::yield();
    if (std::chrono::steady_clock::now() - begin < limit) continue;
    std::fprintf(stderr, "WATCHDOG: not done after %lld s: %s\n", static_cast<long long>(limit.count()), what.c_str());
    std::fflush(stdout);
    std::_Exit(9);
  }
}

const std::vector<Route>& gpu_routes() {
  static const std::vector<Route> routes = {Route::kAuto,  Route::kTrivial, Route::kTile,
                                            Route::kSieve, Route::kSplit,   Route::kWide};
  return routes;
}

const std::vector<GpuSetup>& gpu_setups() {
  static const std::vector<GpuSetup> setups = {
      {Route::kAuto},     {Route::kTrivial},  {Route::kTile},     {Route::kSieve},    {Route::kSplit},
      {Route::kSplit, 1}, {Route::kSplit, 2}, {Route::kSplit, 3}, {Route::kSplit, 8}, {Route::kSplit, 16},
      {Route::kWide},     {Route::kWide, 1},  {Route::kWide, 3},  {Route::kWide, 64},
  };
  return setups;
}

std::string name_of_route(Route route) {
  switch (route) {
    case Route::kTrivial:
      return "trivial";
    case Route::kTile:
      return "tile";
    case Route::kSieve:
      return "sieve";
    case Route::kSplit:
      return "split";
    case Route::kWide:
      return "wide";
    default:
      return "auto";
  }
}

std::string describe(const GpuSetup& setup) {
  std::string text = "cuda " + name_of_route(setup.route);
  if (setup.split != kAuto) text += ", split " + std::to_string(setup.split);
  if (setup.threads != kAuto) text += ", " + std::to_string(setup.threads) + " threads";
  return text;
}

SelectProblem on_gpu(SelectProblem problem, const GpuSetup& setup) {
  problem.device_type = DeviceType::kCuda;
  problem.device_ordinal = 0;
  problem.backend = Backend::kAuto;
  problem.route = setup.route;
  problem.split = setup.split;
  problem.threads = setup.threads;
  return problem;
}

PlanAnswer plan_on_gpu(const SelectProblem& problem, const GpuSetup& setup) {
  PlanAnswer answer;
  const SelectProblem asked = on_gpu(problem, setup);
  const std::string unmet = supports(asked);
  const Status status = try_make_plan(asked, answer.plan);
  if (status.ok() != unmet.empty()) {
    answer.fault = "supports() says '" + unmet + "' and make_plan '" + status.message() + "'";
  } else if (!status.ok()) {
    answer.refused = status.code() == StatusCode::kUnsupported;
    if (!answer.refused) answer.fault = "make_plan: " + status.message();
  } else if (answer.plan.backend != Backend::kCuda || answer.plan.runnable != 1) {
    answer.fault = "the plan is not one that the device can run";
  } else if (setup.route != Route::kAuto && answer.plan.route != setup.route) {
    answer.fault = "the plan takes another route: " + name_of_route(answer.plan.route);
  } else if (setup.threads != kAuto && answer.plan.threads != setup.threads) {
    answer.fault = "the plan takes other threads: " + std::to_string(answer.plan.threads);
  }
  return answer;
}

void Tally::add(Route route, std::int64_t runs, std::int64_t refusals) {
  Counts& counts = counts_[static_cast<std::size_t>(route)];
  counts.runs += runs;
  counts.refusals += refusals;
}

std::vector<std::string> in_parallel(std::int64_t count,
                                     const std::function<std::string(std::int64_t, cudaStream_t, Tally&)>& work,
                                     Tally& tally) {
  constexpr std::size_t kEnoughFaults = 5;
  const auto hardware = static_cast<std::int64_t>(std::max(1u, std::thread::hardware_concurrency()));
  const std::int64_t workers =
      std::clamp<std::int64_t>(environment_number("KEYSIEVE_GPU_WORKERS", std::min<std::int64_t>(8, hardware)), 1, 64);
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::vector<std::string> faults;
  const auto worker = [&] {
    Tally own;
    const auto add_fault = [&](const std::string& fault, bool last) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (faults.size() < kEnoughFaults) faults.push_back(fault);
      if (last || faults.size() >= kEnoughFaults) stop = true;
    };
    try {
      const Stream stream;
      for (std::int64_t i = next++; i < count && !stop; i = next++) {
        if (const std::string fault = work(i, stream.get(), own); !fault.empty()) add_fault(fault, false);
      }
    } catch (const std::exception& error) {
      add_fault(error.what(), true);
    }
    const std::lock_guard<std::mutex> lock(mutex);
    for (const Route route : gpu_routes()) {
      tally.add(route, own.runs(route), own.refusals(route));
    }
  };
  std::vector<std::thread> threads;
  for (std::int64_t i = 0; i < workers; ++i) threads.emplace_back(worker);
  for (std::thread& thread : threads) thread.join();
  return faults;
}

}  // namespace keysieve::test

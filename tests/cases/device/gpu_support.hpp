// What cases on a GPU share, in tests/gpu and in `keysieve audit`: CUDA errors as exceptions, memory that is
// handed round, streams with a watchdog, and the setups of the CUDA backend. No test framework here.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "keysieve/select.hpp"

namespace keysieve::test {

// Empty when there is a device and the library plans for it; else why nothing can run here.
std::string gpu_missing();

// Throws std::runtime_error with the name of the call. After an error that outlives the call (an illegal access, say)
// every later check throws too, with the first text, so that no innocent test is blamed.
void check(cudaError_t error, const char* call);

// An integer of the environment, or `usual`; throws when the text is no number.
std::int64_t environment_number(const char* name, std::int64_t usual);

// KEYSIEVE_GPU_FRESH_MEMORY=1, for tools that look for reads of memory that nobody has written: no pool, and workspaces
// stay as cudaMalloc gives them.
bool wants_fresh_memory();

// Memory from a pool: cudaMalloc and its pinned twin cost more than a whole small case.
class PooledMemory {
 public:
  enum class Kind { kDevice, kPinned };

  PooledMemory() = default;
  PooledMemory(Kind kind, std::size_t bytes);
  ~PooledMemory();
  PooledMemory(PooledMemory&& other) noexcept;
  PooledMemory& operator=(PooledMemory&& other) noexcept;
  PooledMemory(const PooledMemory&) = delete;
  PooledMemory& operator=(const PooledMemory&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }  // at least what was asked for

 private:
  Kind kind_ = Kind::kDevice;
  std::size_t bytes_ = 0;
  std::byte* data_ = nullptr;
};

class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

// Waits for everything enqueued. A kernel that hangs cannot be taken back: after the watchdog's time the program ends
// with exit code 9 and names `what`.
void wait_for(cudaStream_t stream, const std::string& what);

// One way to run a problem on the device.
struct GpuSetup {
  Route route = Route::kAuto;
  std::int32_t split = kAuto;
  std::int32_t threads = kAuto;
};

// AUTO first, then every route with every split that is of interest.
const std::vector<GpuSetup>& gpu_setups();
const std::vector<Route>& gpu_routes();  // AUTO first
std::string name_of_route(Route route);
std::string describe(const GpuSetup& setup);

SelectProblem on_gpu(SelectProblem problem, const GpuSetup& setup);

// Makes the plan: OK, kUnsupported where the route refuses the problem, or a fault: a plan that is not what was asked
// for, or answers of supports() and make_plan() that differ.
struct PlanAnswer {
  bool refused = false;
  std::string fault;
  SelectPlan plan;
};
PlanAnswer plan_on_gpu(const SelectProblem& problem, const GpuSetup& setup);

// Calls per route. For one thread; in_parallel adds up those of its threads.
class Tally {
 public:
  void ran(Route route) { add(route, 1, 0); }
  void refused(Route route) { add(route, 0, 1); }
  void add(Route route, std::int64_t runs, std::int64_t refusals);
  std::int64_t runs(Route route) const { return counts_[static_cast<std::size_t>(route)].runs; }
  std::int64_t refusals(Route route) const { return counts_[static_cast<std::size_t>(route)].refusals; }

 private:
  struct Counts {
    std::int64_t runs = 0, refusals = 0;
  };
  std::array<Counts, 16> counts_;
};

// Runs `work(i, stream)` for i < count on a few host threads, a stream each. Returns the first faults (empty texts
// are no faults); an exception is a fault and stops everything.
std::vector<std::string> in_parallel(std::int64_t count,
                                     const std::function<std::string(std::int64_t, cudaStream_t, Tally&)>& work,
                                     Tally& tally);

}  // namespace keysieve::test

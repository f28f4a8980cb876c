// What is timed of the kernels around selection: a call of the C ABI at a size, with the bytes that it cannot do
// without.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "bench/device.hpp"
#include "bench/graph_timer.hpp"
#include "keysieve/kernels.h"
#include "keysieve/types.hpp"

namespace keysieve::kernel_bench {

// Device memory of one cell, freed with it.
class Arena {
 public:
  explicit Arena(cudaStream_t stream) : stream_(stream) {}

  void* allocate(std::int64_t bytes);
  // A contiguous tensor of memory that nobody has written yet.
  keysieve_tensor tensor(std::int32_t element, std::initializer_list<std::int64_t> shape);
  keysieve_tensor bfloat16(std::initializer_list<std::int64_t> shape);  // random numbers
  keysieve_tensor float32(std::initializer_list<std::int64_t> shape);
  keysieve_tensor bytes(std::initializer_list<std::int64_t> shape, std::uint8_t low = 0, std::uint32_t span = 256);
  keysieve_tensor int32(std::initializer_list<std::int64_t> shape, std::int32_t low, std::uint32_t span);
  keysieve_tensor int64(std::initializer_list<std::int64_t> shape, std::int64_t low, std::uint32_t span);
  // low, low + 1, ... : tables whose entries are all different.
  keysieve_tensor sequence(std::initializer_list<std::int64_t> shape, std::int32_t low = 0);
  keysieve_tensor copy_of(const std::vector<std::int32_t>& values, std::initializer_list<std::int64_t> shape);
  // N(0,1) scores [rows, width], +inf past the lengths.
  keysieve_tensor scores(ScoreType type, std::int64_t rows, std::int64_t width, const keysieve_tensor& lengths);

  cudaStream_t stream() const { return stream_; }

 private:
  cudaStream_t stream_;
  std::vector<std::unique_ptr<bench::DeviceBuffer>> buffers_;
  std::uint32_t seed_ = 1;
};

struct Work {
  bench::Enqueue run;
  bench::Enqueue baseline;  // what `run` is compared with, where there is something
};

struct KernelCell {
  std::string kernel;
  std::string size;
  std::int64_t read_bytes = 0;
  std::int64_t write_bytes = 0;
  std::string baseline;  // its name
  std::function<Work(Arena&)> make;
};

// On the stream's device.
keysieve_call call_on_device();
// Throws with the text of the last error.
void check_call(keysieve_status status, const char* what);

// The call as work: `run(args, stream)`.
template <typename Args>
Work work_of(const Args& args, keysieve_status (*run)(const Args*, void*), const char* name) {
  return {[args, run, name](cudaStream_t stream) { check_call(run(&args, stream), name); }, {}};
}

std::int64_t num_elements(std::initializer_list<std::int64_t> shape);

// A file each.
std::vector<KernelCell> candidate_cells();
std::vector<KernelCell> engram_cells();
std::vector<KernelCell> indexer_key_cells();
std::vector<KernelCell> lengths_cells();
std::vector<KernelCell> publish_cells();
std::vector<KernelCell> q_rope_cells();
std::vector<KernelCell> rmsnorm_cells();
std::vector<KernelCell> short_select_cells();
std::vector<KernelCell> small_gemm_cells();

std::vector<KernelCell> all_cells();

}  // namespace keysieve::kernel_bench

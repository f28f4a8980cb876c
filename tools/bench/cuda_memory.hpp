// The tensors of the benchmark's calls on a GPU, and copies of what they hold.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/cell.hpp"
#include "bench/device.hpp"
#include "bench/judge.hpp"
#include "bench/result.hpp"
#include "bench/runner.hpp"

namespace keysieve::bench {

class CudaMemory {
 public:
  CudaMemory(const Sizes& sizes, cudaStream_t stream);

  void* scores() const { return scores_.get(); }
  std::int32_t* lengths() const { return lengths_.as<std::int32_t>(); }
  std::int32_t* outputs() const { return outputs_.as<std::int32_t>(); }

  void upload_lengths(const std::vector<std::int32_t>& lengths);
  std::vector<std::byte> read_scores(std::int64_t begin_byte, std::int64_t bytes) const;

  // Makes ready what a cell's calls read beside the scores, and at least `workspace_bytes` of workspace.
  SelectArgs make_args(const Cell& cell, std::int64_t workspace_bytes);

  // The k-th scores of the cell's rows, found by a selection of its own, into args.hint.
  void add_exact_hints(const Cell& cell, SelectArgs& args);

  // Left-over results of the call before could pass for those of a kernel that writes nothing.
  void poison_outputs(const Cell& cell, const SelectArgs& args);

  RowOutputs read_outputs(const Cell& cell, std::int64_t row) const;

  std::int32_t* counters() const { return counters_.as<std::int32_t>(); }
  RowCounters read_counters(std::int64_t rows) const;

 private:
  void upload(const DeviceBuffer& target, const std::vector<std::int32_t>& values);

  cudaStream_t stream_;
  DeviceBuffer scores_, lengths_, outputs_, counters_, offsets_, pages_, hints_;
  std::unique_ptr<DeviceBuffer> workspace_;
  std::int64_t workspace_bytes_;
};

}  // namespace keysieve::bench

#include "bench/cuda_memory.hpp"

#include <algorithm>

#include "bench/plan_cells.hpp"
#include "bench/slots.hpp"
#include "keysieve/select.hpp"

namespace keysieve::bench {

CudaMemory::CudaMemory(const Sizes& sizes, cudaStream_t stream)
    : stream_(stream),
      scores_(sizes.score_bytes),
      lengths_(sizes.rows * 4),
      outputs_(sizes.output_bytes),
      counters_(sizes.rows * 8),
      offsets_(sizes.rows * 4),
      pages_(sizes.page_entries * 4),
      hints_(sizes.rows * 4),
      workspace_(std::make_unique<DeviceBuffer>(sizes.workspace_bytes)),
      workspace_bytes_(sizes.workspace_bytes) {}

void CudaMemory::upload(const DeviceBuffer& target, const std::vector<std::int32_t>& values) {
  check_cuda(cudaMemcpyAsync(target.get(), values.data(), values.size() * 4, cudaMemcpyHostToDevice, stream_),
             "upload");
  check_cuda(cudaStreamSynchronize(stream_), "upload");
}

void CudaMemory::upload_lengths(const std::vector<std::int32_t>& lengths) { upload(lengths_, lengths); }

std::vector<std::byte> CudaMemory::read_scores(std::int64_t begin_byte, std::int64_t bytes) const {
  std::vector<std::byte> scores(static_cast<std::size_t>(bytes));
  check_cuda(cudaMemcpyAsync(scores.data(), scores_.as<std::byte>() + begin_byte, scores.size(), cudaMemcpyDeviceToHost,
                             stream_),
             "copy of scores");
  check_cuda(cudaStreamSynchronize(stream_), "copy of scores");
  return scores;
}

SelectArgs CudaMemory::make_args(const Cell& cell, std::int64_t workspace_bytes) {
  if (workspace_bytes > workspace_bytes_) {
    workspace_.reset();
    workspace_ = std::make_unique<DeviceBuffer>(workspace_bytes);
    workspace_bytes_ = workspace_bytes;
  }
  const OutputLayout layout = output_layout(cell);
  SelectArgs args;
  args.scores = scores_.get();
  args.score_row_stride = row_stride(cell);
  args.lengths = lengths();
  args.indices = outputs_.get();
  if (cell.output == IndexMode::kDual) args.raw_indices = outputs_.as<std::byte>() + layout.raw_offset;
  if (cell.values) args.values = outputs_.as<std::byte>() + layout.values_offset;
  if (cell.output == IndexMode::kOffset) {
    std::vector<std::int32_t> offsets;
    for (std::int64_t row = 0; row < cell.rows; ++row) offsets.push_back(out_offset(row));
    upload(offsets_, offsets);
    args.out_offsets = offsets_.as<std::int32_t>();
  }
  if (needs_pages(cell)) {
    upload(pages_, make_page_table(cell.rows, page_columns(cell)));
    args.page_table = pages_.as<std::int32_t>();
    args.page_table_rows = cell.rows;
    args.page_table_columns = page_columns(cell);
    args.page_size = kPageSize;
  }
  args.workspace = workspace_bytes > 0 ? workspace_->get() : nullptr;
  args.workspace_bytes = workspace_bytes;
  return args;
}

void CudaMemory::add_exact_hints(const Cell& cell, SelectArgs& args) {
  const Cell hint = hint_cell(cell);
  const SelectPlan plan = make_plan(problem_of(hint, Backend::kCuda));
  const SelectArgs hint_args = make_args(hint, plan.workspace_bytes);
  keysieve::run(plan, hint_args, stream_);
  const auto element_bytes = static_cast<std::size_t>(size_bytes(cell.dtype));
  const auto row_bytes = static_cast<std::size_t>(cell.k) * element_bytes;
  const auto* last_values = static_cast<const std::byte*>(hint_args.values) + row_bytes - element_bytes;
  check_cuda(cudaMemcpy2DAsync(hints_.get(), element_bytes, last_values, row_bytes, element_bytes,
                               static_cast<std::size_t>(cell.rows), cudaMemcpyDeviceToDevice, stream_),
             "copy of hints");
  check_cuda(cudaStreamSynchronize(stream_), "hints");
  args.hint = hints_.get();
  if (args.workspace_bytes > 0) args.workspace = workspace_->get();  // it may have moved
}

void CudaMemory::poison_outputs(const Cell& cell, const SelectArgs& args) {
  const auto output_bytes = static_cast<std::size_t>(output_layout(cell).total_bytes);
  check_cuda(cudaMemsetAsync(outputs_.get(), 0x5A, output_bytes, stream_), "poison of the outputs");
  check_cuda(cudaMemsetAsync(counters_.get(), 0xFF, static_cast<std::size_t>(cell.rows * 8), stream_),
             "poison of the counters");
  if (args.workspace_bytes > 0) {
    check_cuda(cudaMemsetAsync(args.workspace, 0xFF, static_cast<std::size_t>(args.workspace_bytes), stream_),
               "poison of the workspace");
  }
}

RowOutputs CudaMemory::read_outputs(const Cell& cell, std::int64_t row) const {
  const OutputLayout layout = output_layout(cell);
  const auto k = static_cast<std::size_t>(cell.k);
  const auto at = static_cast<std::size_t>(row) * k;
  const auto copy = [&](auto& target, std::int64_t offset, std::size_t element_bytes) {
    target.resize(k * element_bytes / sizeof(target[0]));
    check_cuda(cudaMemcpyAsync(target.data(), outputs_.as<std::byte>() + offset + at * element_bytes, k * element_bytes,
                               cudaMemcpyDeviceToHost, stream_),
               "copy of outputs");
  };
  RowOutputs outputs;
  copy(outputs.slots, 0, 4);
  if (cell.output == IndexMode::kDual) copy(outputs.raw, layout.raw_offset, 4);
  if (cell.values) copy(outputs.values, layout.values_offset, static_cast<std::size_t>(size_bytes(cell.dtype)));
  check_cuda(cudaStreamSynchronize(stream_), "selection");
  return outputs;
}

RowCounters CudaMemory::read_counters(std::int64_t rows) const {
  std::vector<std::int32_t> values(static_cast<std::size_t>(rows * 2));
  check_cuda(cudaMemcpyAsync(values.data(), counters_.get(), values.size() * 4, cudaMemcpyDeviceToHost, stream_),
             "copy of counters");
  check_cuda(cudaStreamSynchronize(stream_), "selection");
  RowCounters counters;
  double compactions = 0;
  for (std::size_t i = 0; i < values.size(); i += 2) {
    counters.max_second_reads = std::max<std::int64_t>(counters.max_second_reads, values[i]);
    counters.rows_with_second_read += values[i] > 0;
    compactions += values[i + 1];
    if (values[i] < 0 || values[i + 1] < 0) counters.written = false;
  }
  counters.mean_compactions = compactions / static_cast<double>(rows);
  return counters;
}

}  // namespace keysieve::bench

#include "cli/device_selection.hpp"

#include <cstdint>

namespace keysieve::cli {

namespace {

// Whose memory is whose on the device.
enum Place : std::size_t {
  kScores,
  kLengths,
  kRowStarts,
  kRowEnds,
  kOutOffsets,
  kPageTable,
  kRowToTable,
  kIndices,
  kRawIndices,
  kValues,
  kCounts,
  kErrorWord,
  kWorkspace,
  kHint,
};

template <typename Element>
const Element* uploaded(DeviceBuffers& buffers, Place place, const Element* host, std::int64_t bytes) {
  if (host == nullptr) return nullptr;
  void* device = buffers.reserve(place, bytes);
  buffers.upload(device, host, bytes);
  return static_cast<const Element*>(device);
}

// A host output and its twin on the device.
class Output {
 public:
  Output(DeviceBuffers& buffers, Place place, void* host, std::size_t bytes)
      : buffers_(buffers), host_(host), bytes_(static_cast<std::int64_t>(bytes)) {
    device_ = buffers_.reserve(place, bytes_);
    buffers_.upload(device_, host_, bytes_);
  }

  void* device() const { return device_; }
  void fetch() { buffers_.download(host_, device_, bytes_); }

 private:
  DeviceBuffers& buffers_;
  void* host_;
  std::int64_t bytes_;
  void* device_;
};

}  // namespace

// The tensors of one call on the device; the inputs and the outputs' poison are there once it is made.
class DeviceRunner::Call {
 public:
  Call(DeviceRunner& runner, const SelectPlan& plan, const SelectArgs& args, Outputs& outputs)
      : indices_(*runner.buffers_, kIndices, outputs.indices.data(), outputs.indices.size()),
        raw_indices_(*runner.buffers_, kRawIndices, outputs.raw_indices.data(), outputs.raw_indices.size()),
        values_(*runner.buffers_, kValues, outputs.values.data(), outputs.values.size()),
        counts_(*runner.buffers_, kCounts, outputs.counts.data(), outputs.counts.size() * sizeof outputs.counts[0]),
        error_word_(*runner.buffers_, kErrorWord, &outputs.error_word, sizeof outputs.error_word),
        args_(args) {
    upload_inputs(runner, plan.problem, args);
    args_.indices = indices_.device();
    args_.raw_indices = raw_indices_.device();
    args_.values = values_.device();
    args_.counts = static_cast<std::int32_t*>(counts_.device());
    args_.error_word = static_cast<std::uint32_t*>(error_word_.device());
    DeviceBuffers& buffers = *runner.buffers_;
    args_.workspace = buffers.reserve(kWorkspace, plan.workspace_bytes);
    args_.workspace_bytes = plan.workspace_bytes;
    // A route that counts on what a workspace held shows in a check.
    buffers.fill(args_.workspace, std::byte{0x5a}, plan.workspace_bytes);
  }

  const SelectArgs& args() const { return args_; }

  void fetch() {
    for (Output* output : {&indices_, &raw_indices_, &values_, &counts_, &error_word_}) output->fetch();
  }

 private:
  void upload_inputs(DeviceRunner& runner, const SelectProblem& problem, const SelectArgs& args) {
    DeviceBuffers& buffers = *runner.buffers_;
    const std::int64_t per_row = problem.rows * static_cast<std::int64_t>(sizeof(std::int32_t));
    args_.scores = uploaded(buffers, kScores, static_cast<const std::byte*>(args.scores),
                            problem.rows * problem.width * size_bytes(problem.score_type));
    args_.lengths = uploaded(buffers, kLengths, args.lengths, per_row);
    args_.row_starts = uploaded(buffers, kRowStarts, args.row_starts, per_row);
    args_.row_ends = uploaded(buffers, kRowEnds, args.row_ends, per_row);
    args_.out_offsets = uploaded(buffers, kOutOffsets, args.out_offsets, per_row);
    args_.row_to_table = uploaded(buffers, kRowToTable, args.row_to_table, per_row);
    args_.hint = uploaded(buffers, kHint, static_cast<const std::byte*>(args.hint),
                          problem.rows * size_bytes(problem.score_type));
    if (args.page_table != runner.table_host_) {
      const std::int64_t elements = args.page_table_rows * args.page_table_columns;
      runner.table_device_ = const_cast<std::int32_t*>(
          uploaded(buffers, kPageTable, args.page_table, elements * static_cast<std::int64_t>(sizeof(std::int32_t))));
      runner.table_host_ = args.page_table;
    }
    args_.page_table = static_cast<const std::int32_t*>(runner.table_device_);
  }

  Output indices_;
  Output raw_indices_;
  Output values_;
  Output counts_;
  Output error_word_;
  SelectArgs args_;
};

double DeviceRunner::run(const SelectPlan& plan, const SelectArgs& args, Outputs& outputs) {
  Call call(*this, plan, args, outputs);
  buffers_->start_clock();
  keysieve::run(plan, call.args(), buffers_->stream());
  const double seconds = buffers_->stop_clock();
  call.fetch();
  return seconds;
}

void DeviceRunner::capture(const SelectPlan& plan, const SelectArgs& args, Outputs& outputs) {
  captured_ = plan;
  const Call call(*this, plan, args, outputs);
  buffers_->capture([plan, there = call.args(), stream = buffers_->stream()] { keysieve::run(plan, there, stream); });
}

void DeviceRunner::replay(const SelectArgs& args, Outputs& outputs) {
  Call call(*this, captured_, args, outputs);
  buffers_->replay();
  call.fetch();
}

}  // namespace keysieve::cli

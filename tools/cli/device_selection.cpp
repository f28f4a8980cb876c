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

double DeviceRunner::run(const SelectPlan& plan, const SelectArgs& args, Outputs& outputs) {
  DeviceBuffers& buffers = *buffers_;
  const SelectProblem& problem = plan.problem;
  const std::int64_t per_row = problem.rows * static_cast<std::int64_t>(sizeof(std::int32_t));
  SelectArgs there = args;
  there.scores = uploaded(buffers, kScores, static_cast<const std::byte*>(args.scores),
                          problem.rows * problem.width * size_bytes(problem.score_type));
  there.lengths = uploaded(buffers, kLengths, args.lengths, per_row);
  there.row_starts = uploaded(buffers, kRowStarts, args.row_starts, per_row);
  there.row_ends = uploaded(buffers, kRowEnds, args.row_ends, per_row);
  there.out_offsets = uploaded(buffers, kOutOffsets, args.out_offsets, per_row);
  there.row_to_table = uploaded(buffers, kRowToTable, args.row_to_table, per_row);
  if (args.page_table != table_host_) {
    const std::int64_t elements = args.page_table_rows * args.page_table_columns;
    table_device_ = const_cast<std::int32_t*>(
        uploaded(buffers, kPageTable, args.page_table, elements * static_cast<std::int64_t>(sizeof(std::int32_t))));
    table_host_ = args.page_table;
  }
  there.page_table = static_cast<const std::int32_t*>(table_device_);

  Output indices(buffers, kIndices, outputs.indices.data(), outputs.indices.size());
  Output raw_indices(buffers, kRawIndices, outputs.raw_indices.data(), outputs.raw_indices.size());
  Output values(buffers, kValues, outputs.values.data(), outputs.values.size());
  Output counts(buffers, kCounts, outputs.counts.data(), outputs.counts.size() * sizeof outputs.counts[0]);
  Output error_word(buffers, kErrorWord, &outputs.error_word, sizeof outputs.error_word);
  there.indices = indices.device();
  there.raw_indices = raw_indices.device();
  there.values = values.device();
  there.counts = static_cast<std::int32_t*>(counts.device());
  there.error_word = static_cast<std::uint32_t*>(error_word.device());
  there.workspace = buffers.reserve(kWorkspace, plan.workspace_bytes);
  there.workspace_bytes = plan.workspace_bytes;
  // A route that counts on what a workspace held shows in a check.
  buffers.fill(there.workspace, std::byte{0x5a}, plan.workspace_bytes);

  buffers.start_clock();
  keysieve::run(plan, there, buffers.stream());
  const double seconds = buffers.stop_clock();
  for (Output* output : {&indices, &raw_indices, &values, &counts, &error_word}) output->fetch();
  return seconds;
}

}  // namespace keysieve::cli

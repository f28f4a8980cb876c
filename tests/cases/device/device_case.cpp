#include "device_case.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "cases/compare.hpp"
#include "test_kernels.hpp"

namespace keysieve::test {
namespace {

constexpr std::uint8_t kCanary = 0xC3;
constexpr std::int64_t kMostSlots = 8192;  // the largest k of the engine

std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

std::int64_t or_usual(std::int64_t value, std::int64_t usual) { return value == kAuto ? usual : value; }

// Bytes of `lines` lines, the last of which ends with its content.
std::size_t extent(std::int64_t lines, std::int64_t content, std::int64_t stride, std::int64_t element_bytes) {
  return lines <= 0 ? 0 : static_cast<std::size_t>(((lines - 1) * stride + content) * element_bytes);
}

// A page table may have pages that nobody can read (the tests of its unused columns); these become large ids. A pipe
// reports such a page as an error where memcpy would end the program.
void copy_readable(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kChunk = 4096;
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
  for (std::size_t done = 0; done < bytes;) {
    // Chunks end where pages of the source do.
    const std::size_t in_page = kChunk - reinterpret_cast<std::uintptr_t>(from + done) % kChunk;
    const std::size_t count = std::min(in_page, bytes - done);
    const ssize_t written = write(ends[1], from + done, count);
    if (written <= 0) {
      std::memset(to + done, 0x7F, count);
      done += count;
      continue;
    }
    if (read(ends[0], to + done, static_cast<std::size_t>(written)) != written) {
      throw std::runtime_error("pipe: short read");
    }
    done += static_cast<std::size_t>(written);
  }
  close(ends[0]);
  close(ends[1]);
}

}  // namespace

std::vector<DeviceCall::HostTensor> DeviceCall::inputs_of(const SelectProblem& problem, const SelectArgs& args) {
  const std::int64_t rows = problem.rows, score_bytes = size_bytes(problem.score_type);
  const std::size_t per_row = extent(rows, 1, 1, 4);
  const std::int64_t request_stride = or_usual(args.length_request_stride, args.next_n);
  const std::int64_t row_stride = or_usual(args.length_row_stride, 1);
  return {
      {"scores", args.scores, extent(rows, problem.width, or_usual(args.score_row_stride, problem.width), score_bytes)},
      {"lengths", args.lengths,
       extent(rows / std::max(args.next_n, 1), (args.next_n - 1) * row_stride + 1, request_stride, 4)},
      {"row_starts", args.row_starts, per_row},
      {"row_ends", args.row_ends, per_row},
      {"out_offsets", args.out_offsets, per_row},
      {"page_table", args.page_table,
       extent(args.page_table_rows, args.page_table_columns,
              or_usual(args.page_table_row_stride, args.page_table_columns), 4)},
      {"row_to_table", args.row_to_table, per_row},
      {"hint", args.hint, extent(rows, 1, 1, score_bytes)},
  };
}

std::vector<DeviceCall::HostTensor> DeviceCall::outputs_of(const SelectProblem& problem, const SelectArgs& args) {
  const std::int64_t rows = problem.rows, k = problem.k, index_bytes = size_bytes(problem.index_type);
  return {
      {"indices", args.indices, extent(rows, k, or_usual(args.indices_row_stride, k), index_bytes)},
      {"raw_indices", args.raw_indices, extent(rows, k, or_usual(args.raw_indices_row_stride, k), index_bytes)},
      {"values", args.values, extent(rows, k, or_usual(args.values_row_stride, k), size_bytes(problem.score_type))},
      {"counts", args.counts, extent(rows, 1, 1, 4)},
      {"error_word", args.error_word, 4},
      {"row_counters", args.row_counters, extent(rows, 2, 2, 4)},
  };
}

// Guards in front of, between and behind the tensors; absent tensors take no room and get no piece.
std::vector<DeviceCall::Piece> DeviceCall::lay_out(const std::vector<HostTensor>& tensors, std::size_t first,
                                                   std::size_t& total) {
  std::vector<Piece> pieces;
  std::size_t end = first;
  for (const HostTensor& tensor : tensors) {
    if (tensor.data == nullptr) continue;
    const std::size_t misalignment = reinterpret_cast<std::uintptr_t>(tensor.data) % 64;
    pieces.push_back({tensor.name, round_up(end + kGuardBytes, 256) + misalignment, tensor.bytes});
    end = pieces.back().offset + tensor.bytes;
  }
  total = round_up(end + kGuardBytes, 256);
  return pieces;
}

DeviceCall::DeviceCall(cudaStream_t stream, const SelectProblem& problem, const SelectArgs& host)
    : stream_(stream), problem_(problem), args_(host) {
  inputs_ = lay_out(inputs_of(problem_, host), 0, input_bytes_);
  outputs_ = lay_out(outputs_of(problem_, host), sizeof(AuditReport), output_bytes_);
  using Kind = PooledMemory::Kind;
  input_memory_ = PooledMemory(Kind::kDevice, input_bytes_);
  input_copy_ = PooledMemory(Kind::kDevice, input_bytes_);
  output_memory_ = PooledMemory(Kind::kDevice, output_bytes_);
  upload_ = PooledMemory(Kind::kPinned, output_bytes_);
  download_ = PooledMemory(Kind::kPinned, output_bytes_);
  point_at_device();
  check(cudaMemsetAsync(input_memory_.data(), kCanary, input_bytes_, stream_), "cudaMemsetAsync");
  upload_inputs(host);
  reserve_workspace(0);
}

DeviceCall::~DeviceCall() {
  try {
    wait_for(stream_, "the last run of a call");
  } catch (const std::exception&) {
    // The device is lost; whoever checks next says so.
  }
}

void DeviceCall::point_at_device() {
  const auto set = [](auto& pointer, std::byte* memory, const std::vector<Piece>& pieces, const char* name) {
    if (pointer == nullptr) return;
    for (const Piece& piece : pieces) {
      if (std::strcmp(piece.name, name) != 0) continue;
      pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(memory + piece.offset);
    }
  };
  std::byte* in = input_memory_.data();
  set(args_.scores, in, inputs_, "scores");
  set(args_.lengths, in, inputs_, "lengths");
  set(args_.row_starts, in, inputs_, "row_starts");
  set(args_.row_ends, in, inputs_, "row_ends");
  set(args_.out_offsets, in, inputs_, "out_offsets");
  set(args_.page_table, in, inputs_, "page_table");
  set(args_.row_to_table, in, inputs_, "row_to_table");
  set(args_.hint, in, inputs_, "hint");
  std::byte* out = output_memory_.data();
  set(args_.indices, out, outputs_, "indices");
  set(args_.raw_indices, out, outputs_, "raw_indices");
  set(args_.values, out, outputs_, "values");
  set(args_.counts, out, outputs_, "counts");
  set(args_.error_word, out, outputs_, "error_word");
  set(args_.row_counters, out, outputs_, "row_counters");
}

void DeviceCall::upload_inputs(const SelectArgs& host) {
  std::vector<std::byte> table;
  std::size_t next = 0;
  for (const HostTensor& tensor : inputs_of(problem_, host)) {
    if (tensor.data == nullptr) continue;
    const Piece& piece = inputs_.at(next++);
    if (std::strcmp(piece.name, tensor.name) != 0 || piece.bytes != tensor.bytes) {
      throw std::logic_error(std::string("upload_inputs: another shape of ") + tensor.name);
    }
    if (tensor.bytes == 0) continue;
    const void* from = tensor.data;
    if (tensor.data == host.page_table) {
      table.resize(tensor.bytes);
      copy_readable(table.data(), static_cast<const std::byte*>(tensor.data), tensor.bytes);
      from = table.data();
    }
    check(cudaMemcpyAsync(input_memory_.data() + piece.offset, from, piece.bytes, cudaMemcpyHostToDevice, stream_),
          "cudaMemcpyAsync to an input");
  }
  // Host memory that is not pinned may still be read when the copies return.
  wait_for(stream_, "upload of the inputs");
  check(cudaMemcpyAsync(input_copy_.data(), input_memory_.data(), input_bytes_, cudaMemcpyDeviceToDevice, stream_),
        "cudaMemcpyAsync of the inputs");
}

void DeviceCall::reserve_workspace(std::int64_t bytes, std::size_t misalignment) {
  workspace_bytes_ = static_cast<std::size_t>(bytes);
  workspace_offset_ = kGuardBytes + misalignment;
  const std::size_t total = workspace_offset_ + workspace_bytes_ + kGuardBytes;
  if (workspace_memory_.size() < total) {
    wait_for(stream_, "the last use of the workspace");  // another stream may get the old one
    workspace_memory_ = PooledMemory(PooledMemory::Kind::kDevice, total);
  }
  args_.workspace = bytes > 0 ? workspace_memory_.data() + workspace_offset_ : nullptr;
  args_.workspace_bytes = bytes;
}

void DeviceCall::fill_workspace(std::uint8_t poison) {
  std::byte* const begin = workspace_memory_.data();
  check(cudaMemsetAsync(begin, kCanary, workspace_offset_, stream_), "cudaMemsetAsync in front of the workspace");
  check(cudaMemsetAsync(begin + workspace_offset_ + workspace_bytes_, kCanary, kGuardBytes, stream_),
        "cudaMemsetAsync behind the workspace");
  if (workspace_bytes_ == 0 || wants_fresh_memory()) return;
  check(cudaMemsetAsync(args_.workspace, poison, workspace_bytes_, stream_), "cudaMemsetAsync of the workspace");
}

void DeviceCall::copy_workspace_from(const void* host) {
  fill_workspace(0);
  if (workspace_bytes_ == 0) return;
  check(cudaMemcpyAsync(args_.workspace, host, workspace_bytes_, cudaMemcpyHostToDevice, stream_),
        "cudaMemcpyAsync to the workspace");
  wait_for(stream_, "upload of the workspace");
}

void DeviceCall::copy_workspace_to(void* host) {
  if (workspace_bytes_ == 0) return;
  check(cudaMemcpyAsync(host, args_.workspace, workspace_bytes_, cudaMemcpyDeviceToHost, stream_),
        "cudaMemcpyAsync from the workspace");
  wait_for(stream_, "download of the workspace");
}

void DeviceCall::upload_outputs(const SelectArgs& host) {
  // The pinned block may still be on its way from the last call.
  wait_for(stream_, "the last upload of the outputs");
  std::byte* block = upload_.data();
  std::memset(block, kCanary, output_bytes_);
  const AuditReport nothing;
  std::memcpy(block, &nothing, sizeof nothing);
  std::size_t next = 0;
  for (const HostTensor& tensor : outputs_of(problem_, host)) {
    if (tensor.data == nullptr) continue;
    const Piece& piece = outputs_.at(next++);
    if (tensor.bytes > 0) std::memcpy(block + piece.offset, tensor.data, piece.bytes);
  }
  check(cudaMemcpyAsync(output_memory_.data(), block, output_bytes_, cudaMemcpyHostToDevice, stream_),
        "cudaMemcpyAsync to the outputs");
}

std::string DeviceCall::piece_at(const std::vector<Piece>& pieces, std::size_t offset) {
  for (const Piece& piece : pieces) {
    if (offset < piece.offset) {
      return "canary damaged " + std::to_string(piece.offset - offset) + " bytes before " + piece.name;
    }
    if (offset < piece.offset + piece.bytes) {
      return std::string(piece.name) + " changed at byte " + std::to_string(offset - piece.offset);
    }
    if (offset < piece.offset + piece.bytes + kGuardBytes) {
      return "canary damaged " + std::to_string(offset - piece.offset - piece.bytes) + " bytes after " + piece.name;
    }
  }
  return "canary damaged at byte " + std::to_string(offset);
}

std::string DeviceCall::damaged_output() const {
  const auto* block = reinterpret_cast<const std::uint8_t*>(download_.data());
  std::size_t byte = sizeof(AuditReport);
  for (std::size_t next = 0; next <= outputs_.size(); ++next) {
    const std::size_t end = next < outputs_.size() ? outputs_[next].offset : output_bytes_;
    for (; byte < end; ++byte) {
      if (block[byte] != kCanary) return "output: " + piece_at(outputs_, byte);
    }
    if (next < outputs_.size()) byte = end + outputs_[next].bytes;
  }
  return {};
}

std::string DeviceCall::download_outputs(const SelectArgs& host, const std::string& what) {
  AuditTask task;
  task.inputs = input_memory_.data();
  task.copy = input_copy_.data();
  task.input_bytes = input_bytes_;
  task.front = workspace_memory_.data() + workspace_offset_ - kGuardBytes;
  task.back = workspace_memory_.data() + workspace_offset_ + workspace_bytes_;
  task.guard_bytes = kGuardBytes;
  task.canary = kCanary;
  task.report = reinterpret_cast<AuditReport*>(output_memory_.data());
  audit(task, stream_);
  check(cudaMemcpyAsync(download_.data(), output_memory_.data(), output_bytes_, cudaMemcpyDeviceToHost, stream_),
        "cudaMemcpyAsync from the outputs");
  wait_for(stream_, what);
  std::size_t next = 0;
  for (const HostTensor& tensor : outputs_of(problem_, host)) {
    if (tensor.data == nullptr) continue;
    const Piece& piece = outputs_.at(next++);
    if (tensor.bytes > 0) std::memcpy(const_cast<void*>(tensor.data), download_.data() + piece.offset, piece.bytes);
  }
  AuditReport report;
  std::memcpy(&report, download_.data(), sizeof report);
  if (report.changed_input != kNothingFound) {
    // So that the next run of this call is judged by its own deeds.
    check(cudaMemcpyAsync(input_memory_.data(), input_copy_.data(), input_bytes_, cudaMemcpyDeviceToDevice, stream_),
          "cudaMemcpyAsync of the inputs");
    return "input: " + piece_at(inputs_, static_cast<std::size_t>(report.changed_input));
  }
  if (report.workspace_front != kNothingFound) {
    return "canary damaged " + std::to_string(kGuardBytes - report.workspace_front) + " bytes before the workspace";
  }
  if (report.workspace_back != kNothingFound) {
    return "canary damaged " + std::to_string(report.workspace_back) + " bytes after the workspace";
  }
  return damaged_output();
}

std::string DeviceCall::run(const SelectPlan& plan, const SelectArgs& host, std::uint8_t poison,
                            const std::string& what) {
  upload_outputs(host);
  reserve_workspace(plan.workspace_bytes);
  fill_workspace(poison);
  if (const Status status = try_run(plan, args_, stream_); !status.ok()) return "run failed: " + status.message();
  return download_outputs(host, what);
}

std::string check_setup(DeviceCall& call, const cases::CaseInputs& inputs, const cases::CaseResult& expected,
                        const GpuSetup& setup, std::uint8_t poison, Tally& tally) {
  const PlanAnswer answer = plan_on_gpu(inputs.problem(), setup);
  const std::string what = describe(inputs.spec()) + "\n  on " + describe(setup);
  if (!answer.fault.empty()) return what + ": " + answer.fault;
  if (answer.refused) {
    tally.refused(setup.route);
    if (setup.route == Route::kAuto && setup.threads == kAuto && inputs.spec().k <= kMostSlots) {
      return what + ": refused: " + supports(on_gpu(inputs.problem(), setup));
    }
    return {};
  }
  tally.ran(setup.route);
  cases::CaseResult got(inputs, 0, poison);
  SelectArgs host = inputs.args();
  got.add_to(host);
  std::string fault = call.run(answer.plan, host, poison, what);
  if (fault.empty()) fault = got.gap_written();
  if (fault.empty()) fault = cases::compare(inputs, expected, got);
  return fault.empty() ? fault : what + ": " + fault;
}

std::string check_on_gpu(cudaStream_t stream, const cases::CaseInputs& inputs, const cases::CaseResult& expected,
                         const std::vector<GpuSetup>& setups, std::size_t turn, Tally& tally) {
  cases::CaseResult shape(inputs, 0, 0);
  SelectArgs host = inputs.args();
  shape.add_to(host);
  DeviceCall call(stream, inputs.problem(), host);
  for (const GpuSetup& setup : setups) {
    const std::uint8_t poison = kGpuPoisons[turn++ % std::size(kGpuPoisons)];
    if (std::string fault = check_setup(call, inputs, expected, setup, poison, tally); !fault.empty()) return fault;
  }
  return {};
}

}  // namespace keysieve::test

// Copies of device tensors into pinned memory, in the order of the caller's stream; an event a slot tells when they
// have landed. No kernel: the copy engines do it, and what is judged has no part in it.
//
// Every call here runs under a relaxed capture mode: queries of events from the shadow's thread would otherwise
// invalidate a capture that any other thread has begun in global mode.
#include <cuda_runtime.h>

#include <string>
#include <vector>

#include "cuda/device_guard.hpp"
#include "plan/cuda_engine.hpp"
#include "shadow/copies.hpp"

namespace keysieve::shadow {
namespace {

using cuda::DeviceGuard;
using cuda::RelaxedCapture;

Status device_error(const char* call, cudaError_t error) {
  cudaGetLastError();  // it must not surface in the caller's next call
  return Status(StatusCode::kDeviceError, std::string("shadow: ") + call + ": " + cudaGetErrorString(error));
}

class CudaCopies final : public Copies {
 public:
  explicit CudaCopies(std::int32_t ordinal) : ordinal_(ordinal) {}

  ~CudaCopies() override {
    const RelaxedCapture relaxed;
    DeviceGuard device;
    if (!device.enter(ordinal_).ok()) return;  // the context is gone, and its memory with it
    for (const cudaEvent_t event : events_) cudaEventDestroy(event);
    if (memory_ != nullptr) cudaFreeHost(memory_);
    cudaGetLastError();
  }

  Status allocate(std::int64_t slots, std::int64_t slot_bytes) {
    const RelaxedCapture relaxed;
    DeviceGuard device;
    if (Status status = device.enter(ordinal_); !status.ok()) return status;
    slot_bytes_ = static_cast<std::size_t>(slot_bytes);
    void* memory = nullptr;
    const std::size_t bytes = static_cast<std::size_t>(slots) * slot_bytes_;
    if (const cudaError_t error = cudaHostAlloc(&memory, bytes, cudaHostAllocPortable); error != cudaSuccess) {
      Status status = device_error("cudaHostAlloc", error);
      if (error != cudaErrorMemoryAllocation) return status;
      return Status(StatusCode::kOutOfMemory, "slots: expected slots * slot_bytes = " + std::to_string(bytes) +
                                                  " bytes of pinned memory, got none");
    }
    memory_ = static_cast<std::byte*>(memory);
    events_.reserve(static_cast<std::size_t>(slots));
    for (std::int64_t slot = 0; slot < slots; ++slot) {
      cudaEvent_t event = nullptr;
      if (const cudaError_t error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming); error != cudaSuccess) {
        return device_error("cudaEventCreateWithFlags", error);
      }
      events_.push_back(event);
    }
    return {};
  }

  void enter_thread() override {
    // A failure shows again, and is reported, at the first look at a slot.
    if (cudaSetDevice(ordinal_) != cudaSuccess) cudaGetLastError();
  }

  std::byte* memory(std::int64_t slot) override { return memory_ + static_cast<std::size_t>(slot) * slot_bytes_; }

  Status is_capturing(void* stream, bool& capturing) override {
    const RelaxedCapture relaxed;
    DeviceGuard device;
    if (Status status = device.enter(ordinal_); !status.ok()) return status;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t error = cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status);
    if (error == cudaErrorStreamCaptureImplicit) {
      // The legacy stream while another one captures: work on it would spoil that capture.
      cudaGetLastError();
      capturing = true;
      return {};
    }
    if (error != cudaSuccess) return device_error("cudaStreamIsCapturing", error);
    capturing = status != cudaStreamCaptureStatusNone;
    return {};
  }

  CopyStart start(std::int64_t slot, std::span<const Piece> pieces, void* stream) override {
    const RelaxedCapture relaxed;
    DeviceGuard device;
    if (Status status = device.enter(ordinal_); !status.ok()) return {status, true};  // nothing was enqueued
    const auto on = static_cast<cudaStream_t>(stream);
    const Status copied = enqueue_all(pieces, memory(slot), on);
    // After a failed copy too: those in front of it are on their way.
    const cudaError_t error = cudaEventRecord(events_[static_cast<std::size_t>(slot)], on);
    if (error == cudaSuccess) return {copied, true};
    const Status recorded = device_error("cudaEventRecord", error);
    return {copied.ok() ? recorded : copied, false};
  }

  CopyState state(std::int64_t slot) override {
    const RelaxedCapture relaxed;
    DeviceGuard device;
    if (!device.enter(ordinal_).ok()) return CopyState::kFailed;
    const cudaError_t error = cudaEventQuery(events_[static_cast<std::size_t>(slot)]);
    if (error == cudaSuccess) return CopyState::kDone;
    cudaGetLastError();
    return error == cudaErrorNotReady ? CopyState::kPending : CopyState::kFailed;
  }

  void wait(std::int64_t slot) override {
    const RelaxedCapture relaxed;
    DeviceGuard device;
    if (!device.enter(ordinal_).ok()) return;
    cudaEventSynchronize(events_[static_cast<std::size_t>(slot)]);
    cudaGetLastError();
  }

 private:
  static Status enqueue_all(std::span<const Piece> pieces, std::byte* memory, cudaStream_t stream) {
    for (const Piece& piece : pieces) {
      if (Status status = enqueue(piece, memory, stream); !status.ok()) return status;
    }
    return {};
  }

  static Status enqueue(const Piece& piece, std::byte* memory, cudaStream_t stream) {
    std::byte* to = memory + piece.offset;
    if (piece.lines == 1) {
      const cudaError_t error = cudaMemcpyAsync(to, piece.from, piece.line_bytes, cudaMemcpyDefault, stream);
      return error == cudaSuccess ? Status() : device_error("cudaMemcpyAsync", error);
    }
    const cudaError_t error = cudaMemcpy2DAsync(to, piece.line_bytes, piece.from, piece.stride_bytes, piece.line_bytes,
                                                piece.lines, cudaMemcpyDefault, stream);
    return error == cudaSuccess ? Status() : device_error("cudaMemcpy2DAsync", error);
  }

  std::int32_t ordinal_;
  std::size_t slot_bytes_ = 0;
  std::byte* memory_ = nullptr;
  std::vector<cudaEvent_t> events_;
};

}  // namespace

Status make_cuda_copies(std::int32_t device_ordinal, std::int64_t slots, std::int64_t slot_bytes,
                        std::unique_ptr<Copies>& copies) {
  const CudaEngine& engine = cuda_engine(device_ordinal);
  if (engine.profile == nullptr) return Status::unsupported("device_ordinal: " + engine.problem);
  auto made = std::make_unique<CudaCopies>(device_ordinal);
  if (Status status = made->allocate(slots, slot_bytes); !status.ok()) return status;
  copies = std::move(made);
  return {};
}

}  // namespace keysieve::shadow

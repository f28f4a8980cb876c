// How bytes get from a call's tensors into a slot: at once on the CPU, in stream order on CUDA. Made with all its
// memory; nothing is allocated later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "keysieve/status.hpp"
#include "shadow/call_copy.hpp"

namespace keysieve::shadow {

enum class CopyState {
  kPending,
  kDone,
  kFailed,  // nothing is known of the memory any more: the slot must not be used again
};

// What became of an attempt to copy.
struct CopyStart {
  Status status;
  bool tracked = true;  // state() tells when the slot's memory is at rest; false: as kFailed
};

// A slot has one user at a time; different slots may be used by different threads.
class Copies {
 public:
  virtual ~Copies() = default;

  // Once in the thread that will ask for state(). On CUDA it makes the device current for good: a thread that begins on
  // device 0 and returns there after each look would make a context on that device too.
  virtual void enter_thread() {}

  virtual std::byte* memory(std::int64_t slot) = 0;

  // Whether nothing may be enqueued because the stream is being captured.
  virtual Status is_capturing(void* stream, bool& capturing) = 0;

  // Takes what the pieces show to an operation on `stream`. Does not wait for the stream.
  virtual CopyStart start(std::int64_t slot, std::span<const Piece> pieces, void* stream) = 0;

  virtual CopyState state(std::int64_t slot) = 0;

  // Until state() is not kPending.
  virtual void wait(std::int64_t slot) = 0;
};

Status make_host_copies(std::int64_t slots, std::int64_t slot_bytes, std::unique_ptr<Copies>& copies);

// In src/cuda, or, in a build without device code, a refusal.
Status make_cuda_copies(std::int32_t device_ordinal, std::int64_t slots, std::int64_t slot_bytes,
                        std::unique_ptr<Copies>& copies);

}  // namespace keysieve::shadow

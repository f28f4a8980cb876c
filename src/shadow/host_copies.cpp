// Copies of host tensors: done when start() returns.
#include <cstring>

#include "shadow/copies.hpp"

namespace keysieve::shadow {
namespace {

class HostCopies final : public Copies {
 public:
  HostCopies(std::int64_t slots, std::int64_t slot_bytes)
      : slot_bytes_(static_cast<std::size_t>(slot_bytes)),
        memory_(std::make_unique<std::byte[]>(static_cast<std::size_t>(slots) * slot_bytes_)) {}

  std::byte* memory(std::int64_t slot) override { return memory_.get() + static_cast<std::size_t>(slot) * slot_bytes_; }

  Status is_capturing(void* /*stream*/, bool& capturing) override {
    capturing = false;
    return {};
  }

  CopyStart start(std::int64_t slot, std::span<const Piece> pieces, void* /*stream*/) override {
    std::byte* to = memory(slot);
    for (const Piece& piece : pieces) {
      for (std::size_t line = 0; line < piece.lines; ++line) {
        std::memcpy(to + piece.offset + line * piece.line_bytes,
                    static_cast<const std::byte*>(piece.from) + line * piece.stride_bytes, piece.line_bytes);
      }
    }
    return {};
  }

  CopyState state(std::int64_t /*slot*/) override { return CopyState::kDone; }
  void wait(std::int64_t /*slot*/) override {}

 private:
  std::size_t slot_bytes_;
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace

Status make_host_copies(std::int64_t slots, std::int64_t slot_bytes, std::unique_ptr<Copies>& copies) {
  copies = std::make_unique<HostCopies>(slots, slot_bytes);
  return {};
}

}  // namespace keysieve::shadow

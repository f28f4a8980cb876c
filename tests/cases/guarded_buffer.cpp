#include "cases/guarded_buffer.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace keysieve::cases {
namespace {

constexpr std::uint8_t kCanary = 0xC3;

constexpr std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

// Not instrumented: lifting the poison to look would hide, or report, accesses of threads that still run.
#if defined(__SANITIZE_ADDRESS__)
__attribute__((no_sanitize_address, noinline))
#endif
const std::byte*
first_changed(const std::byte* begin, const std::byte* end) {
  for (const std::byte* byte = begin; byte != end; ++byte) {
    if (static_cast<std::uint8_t>(*byte) != kCanary) return byte;
  }
  return nullptr;
}

}  // namespace

void GuardedBuffer::Release::operator()(std::byte* memory) const { std::free(memory); }

GuardedBuffer::GuardedBuffer(std::size_t bytes, std::size_t offset_bytes) : bytes_(bytes) {
  memory_bytes_ = round_up(kGuardBytes + offset_bytes + bytes + kGuardBytes, kGuardBytes);
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kGuardBytes, memory_bytes_)));
  if (memory_ == nullptr) throw std::bad_alloc();
  data_ = memory_.get() + kGuardBytes + offset_bytes;
  const auto before = static_cast<std::size_t>(data_ - memory_.get());
  std::memset(memory_.get(), kCanary, before);
  std::memset(data_ + bytes, kCanary, memory_bytes_ - before - bytes);
  set_guards_poisoned(true);
}

GuardedBuffer::~GuardedBuffer() {
  if (memory_ != nullptr) set_guards_poisoned(false);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept
    : memory_(std::move(other.memory_)),
      memory_bytes_(std::exchange(other.memory_bytes_, 0)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

GuardedBuffer& GuardedBuffer::operator=(GuardedBuffer&& other) noexcept {
  if (this != &other) {
    if (memory_ != nullptr) set_guards_poisoned(false);
    memory_ = std::move(other.memory_);
    memory_bytes_ = std::exchange(other.memory_bytes_, 0);
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

void GuardedBuffer::fill(std::uint8_t value) {
  if (bytes_ > 0) std::memset(data_, value, bytes_);
}

std::string GuardedBuffer::damaged() const {
  const std::byte* after = data_ + bytes_;
  if (const std::byte* byte = first_changed(memory_.get(), data_); byte != nullptr) {
    return "canary damaged " + std::to_string(data_ - byte) + " bytes before the buffer";
  }
  if (const std::byte* byte = first_changed(after, memory_.get() + memory_bytes_); byte != nullptr) {
    return "canary damaged " + std::to_string(byte - after) + " bytes after the buffer";
  }
  return {};
}

std::uint64_t GuardedBuffer::checksum() const {
  std::uint64_t sum = 0x9E3779B97F4A7C15u + bytes_;
  std::size_t done = 0;
  for (; done + 8 <= bytes_; done += 8) {
    std::uint64_t word;
    std::memcpy(&word, data_ + done, 8);
    sum = (sum ^ word) * 0xD6E8FEB86659FD93u;
    sum ^= sum >> 32;
  }
  for (; done < bytes_; ++done) sum = (sum ^ static_cast<std::uint64_t>(data_[done])) * 0xD6E8FEB86659FD93u;
  return sum;
}

void GuardedBuffer::set_guards_poisoned([[maybe_unused]] bool poisoned) const {
#if defined(__SANITIZE_ADDRESS__)
  const auto before = static_cast<std::size_t>(data_ - memory_.get());
  const std::size_t after = memory_bytes_ - before - bytes_;
  if (poisoned) {
    __asan_poison_memory_region(memory_.get(), before);
    __asan_poison_memory_region(data_ + bytes_, after);
  } else {
    __asan_unpoison_memory_region(memory_.get(), before);
    __asan_unpoison_memory_region(data_ + bytes_, after);
  }
#endif
}

}  // namespace keysieve::cases

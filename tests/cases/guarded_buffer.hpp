// A byte buffer between two canaries. A write beside it is found by damaged(); under AddressSanitizer the
// canaries are poisoned too, so that a stray read stops the test where it happens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace keysieve::cases {

class GuardedBuffer {
 public:
  static constexpr std::size_t kGuardBytes = 64;

  // `offset_bytes` moves the buffer away from 64-byte alignment.
  explicit GuardedBuffer(std::size_t bytes = 0, std::size_t offset_bytes = 0);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer&& other) noexcept;
  GuardedBuffer& operator=(GuardedBuffer&& other) noexcept;
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  void fill(std::uint8_t value);

  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data_);
  }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }

  // Empty, or which canary byte changed.
  std::string damaged() const;
  std::uint64_t checksum() const;

 private:
  struct Release {
    void operator()(std::byte* memory) const;
  };
  void set_guards_poisoned(bool poisoned) const;

  std::unique_ptr<std::byte, Release> memory_;
  std::size_t memory_bytes_ = 0;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace keysieve::cases

// A file mapped read-only. Nothing is copied and pages come in as they are touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace keysieve::io {

// Tells whether two paths lead to one file, through links too.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

class MemoryMap {
 public:
  MemoryMap() = default;
  // Throws FileError: missing, not readable, or anything but a regular file (a pipe would block, a directory
  // has no bytes). An empty file maps to no bytes.
  explicit MemoryMap(const std::string& path);
  ~MemoryMap();
  MemoryMap(MemoryMap&& other) noexcept;
  MemoryMap& operator=(MemoryMap&& other) noexcept;
  MemoryMap(const MemoryMap&) = delete;
  MemoryMap& operator=(const MemoryMap&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  FileIdentity identity() const { return identity_; }

  // The path of the live map that holds `address`, or null. For a SIGBUS handler: a file that shrinks while
  // it is mapped, or a disk that fails under it, faults at the access and has no other way to be told.
  // Async-signal-safe.
  static const char* path_at(const void* address) noexcept;

 private:
  void release() noexcept;

  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  FileIdentity identity_;
};

}  // namespace keysieve::io

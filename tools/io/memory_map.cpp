#include "io/memory_map.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "io/file_error.hpp"

namespace keysieve::io {

namespace {

// Fixed storage: a signal handler reads it, so nothing in it may move or be freed. A map that finds no free
// slot works as well; only the text of a fault in it loses the name.
struct LiveMap {
  std::atomic<const std::byte*> begin{nullptr};
  std::atomic<std::size_t> size{0};
  std::array<char, 1024> path{};
};
std::array<LiveMap, 16> live_maps;

void remember(const std::byte* begin, std::size_t size, const std::string& path) {
  for (LiveMap& map : live_maps) {
    if (map.begin.load() != nullptr) continue;
    const std::size_t length = std::min(path.size(), map.path.size() - 1);
    std::memcpy(map.path.data(), path.data(), length);
    map.path[length] = '\0';
    map.size.store(size);
    map.begin.store(begin);
    return;
  }
}

void forget(const std::byte* begin) {
  for (LiveMap& map : live_maps) {
    if (map.begin.load() == begin) map.begin.store(nullptr);
  }
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

MemoryMap::MemoryMap(const std::string& path) {
  // O_NONBLOCK: opening a pipe without a writer would otherwise wait for one.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) throw_errno(path, "open for reading", errno);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) throw_errno(path, "read its size", errno);
  if (S_ISDIR(info.st_mode)) throw_file_error(path, "a file", "a directory");
  if (!S_ISREG(info.st_mode)) throw_file_error(path, "a regular file", "a pipe, socket or device");
  identity_ = {static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino)};
  if (info.st_size == 0) return;  // mmap refuses a length of 0

  const auto size = static_cast<std::size_t>(info.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) throw_errno(path, "map into memory", errno);
  data_ = static_cast<const std::byte*>(address);
  size_ = size;
  remember(data_, size_, path);
}

MemoryMap::~MemoryMap() { release(); }

MemoryMap::MemoryMap(MemoryMap&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), identity_(other.identity_) {}

MemoryMap& MemoryMap::operator=(MemoryMap&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    identity_ = other.identity_;
  }
  return *this;
}

void MemoryMap::release() noexcept {
  if (data_ == nullptr) return;
  forget(data_);
  ::munmap(const_cast<std::byte*>(data_), size_);
  data_ = nullptr;
  size_ = 0;
}

const char* MemoryMap::path_at(const void* address) noexcept {
  const auto* byte = static_cast<const std::byte*>(address);
  for (const LiveMap& map : live_maps) {
    const std::byte* begin = map.begin.load();
    // The last page reaches past the size of the file; a fault there belongs to the map as well.
    if (begin != nullptr && byte >= begin && byte < begin + map.size.load() + 4096) return map.path.data();
  }
  return nullptr;
}

}  // namespace keysieve::io

#include "faults/guard_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace keysieve::test {
namespace {

std::size_t pages_for(std::size_t bytes) {
  return (bytes + MappedMemory::page_bytes() - 1) / MappedMemory::page_bytes();
}

}  // namespace

MappedMemory::MappedMemory(std::size_t bytes) : bytes_(pages_for(bytes) * page_bytes()) {
  void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  data_ = static_cast<std::byte*>(memory);
}

MappedMemory::~MappedMemory() { munmap(data_, bytes_); }

std::size_t MappedMemory::page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

void MappedMemory::forbid(std::size_t first_page, std::size_t count) const {
  if (mprotect(data_ + first_page * page_bytes(), count * page_bytes(), PROT_NONE) != 0) {
    throw std::system_error(errno, std::generic_category(), "mprotect");
  }
}

GuardedPages::GuardedPages(std::size_t bytes) : memory_((pages_for(bytes) + 2) * MappedMemory::page_bytes()) {
  const std::size_t pages = pages_for(bytes);
  memory_.forbid(0, 1);
  memory_.forbid(pages + 1, 1);
  data_ = memory_.data() + (pages + 1) * MappedMemory::page_bytes() - bytes;
}

}  // namespace keysieve::test

// Memory whose surroundings cannot be touched: a stray access ends the test at once, in every build.
#pragma once

#include <cstddef>

namespace keysieve::test {

// Sparse memory: address space without a reservation; only what is touched becomes real.
class MappedMemory {
 public:
  explicit MappedMemory(std::size_t bytes);
  ~MappedMemory();
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  std::byte* data() const { return data_; }
  static std::size_t page_bytes();
  // Pages [first, first + count) become untouchable.
  void forbid(std::size_t first_page, std::size_t count) const;

 private:
  std::byte* data_;
  std::size_t bytes_;
};

// `bytes` that end exactly where an untouchable page begins, with another one in front.
class GuardedPages {
 public:
  explicit GuardedPages(std::size_t bytes);
  std::byte* data() const { return data_; }

 private:
  MappedMemory memory_;
  std::byte* data_;
};

}  // namespace keysieve::test

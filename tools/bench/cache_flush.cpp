#include "bench/cache_flush.hpp"

#include <atomic>

namespace keysieve::bench {
namespace {

constexpr std::size_t kLineBytes = 64;

void flush_line([[maybe_unused]] const void* address) {
#if defined(__x86_64__)
  __builtin_ia32_clflush(address);
#elif defined(__aarch64__)
  asm volatile("dc civac, %0" ::"r"(address) : "memory");
#endif
}

}  // namespace

bool can_flush_caches() {
#if defined(__x86_64__) || defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

void flush_caches(const void* begin, std::size_t bytes) {
  const auto* lines = static_cast<const std::byte*>(begin);
  for (std::size_t at = 0; at < bytes; at += kLineBytes) flush_line(lines + at);
  if (bytes > 0) flush_line(lines + bytes - 1);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // what is timed next begins after it
}

}  // namespace keysieve::bench

#include "simt/fiber.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <new>
#include <system_error>

namespace keysieve::simt::host {

struct FiberEntry {
  static void run(boost::context::detail::transfer_t transfer) {
    const Handover handover = *static_cast<const Handover*>(transfer.data);
    handover.from->context_ = transfer.fctx;
    Fiber& self = *handover.to;
    self.arrived_from(handover.from);
    self.entry_(self.argument_);
  }
};

void Fiber::make(std::byte* stack, std::size_t unused_top, void (*entry)(void*), void* argument) {
  entry_ = entry;
  argument_ = argument;
  const std::size_t bytes = kStackBytes - unused_top;
  context_ = boost::context::detail::make_fcontext(stack + bytes, bytes, FiberEntry::run);
#if defined(KEYSIEVE_FIBER_ADDRESS_SANITIZER)
  bottom_ = stack;
  bytes_ = bytes;
#endif
#if defined(KEYSIEVE_FIBER_THREAD_SANITIZER)
  sanitizer_fiber_ = __tsan_create_fiber(0);
#endif
}

void Fiber::adopt_thread() {
#if defined(KEYSIEVE_FIBER_THREAD_SANITIZER)
  sanitizer_fiber_ = __tsan_get_current_fiber();
#endif
}

void Fiber::release() {
#if defined(KEYSIEVE_FIBER_THREAD_SANITIZER)
  if (sanitizer_fiber_ != nullptr) __tsan_destroy_fiber(sanitizer_fiber_);
  sanitizer_fiber_ = nullptr;
#endif
}

StackPool::~StackPool() {
  for (const Slab& slab : slabs_) munmap(slab.begin, slab.bytes);
}

std::byte* StackPool::take() {
  constexpr std::size_t kPageBytes = 4096;
  // An odd number of pages: stacks whose distance is a power of two would share a few cache sets.
  constexpr std::size_t kStride = kStackBytes + kPageBytes;
  constexpr std::size_t kStacks = 256;
  if (left_ == 0) {
    const std::size_t bytes = kStride * kStacks;
    void* slab = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slab == MAP_FAILED) throw std::bad_alloc();
    slabs_.push_back({static_cast<std::byte*>(slab), bytes});
    next_ = slabs_.back().begin;
    left_ = kStacks;
  }
  if (mprotect(next_, kPageBytes, PROT_NONE) != 0) {
    throw std::system_error(errno, std::generic_category(), "guard page of a fiber stack");
  }
  std::byte* stack = next_ + kPageBytes;
  next_ += kStride;
  --left_;
  return stack;
}

}  // namespace keysieve::simt::host

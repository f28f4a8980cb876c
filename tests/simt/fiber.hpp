// Stackful contexts that hand over to each other directly. A fiber stays on the host thread that made it.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <vector>

// Sanitizers keep a picture of the stack, so they are told of every switch.
#if defined(__SANITIZE_ADDRESS__)
#define KEYSIEVE_FIBER_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEYSIEVE_FIBER_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define KEYSIEVE_FIBER_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KEYSIEVE_FIBER_THREAD_SANITIZER 1
#endif
#endif
#if defined(KEYSIEVE_FIBER_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(KEYSIEVE_FIBER_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace keysieve::simt::host {

#if defined(KEYSIEVE_FIBER_ADDRESS_SANITIZER)
inline constexpr std::size_t kStackBytes = 256 * 1024;  // frames grow by red zones
#else
inline constexpr std::size_t kStackBytes = 64 * 1024;
#endif

class Fiber;

// What the switching fiber hands to the one that it switches to.
struct Handover {
  Fiber* from;
  Fiber* to;
};

class Fiber {
 public:
  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // `entry` gets `argument` on the first switch and never returns. `stack` is kStackBytes long.
  void make(std::byte* stack, std::size_t unused_top, void (*entry)(void*), void* argument);
  // For the fiber that the host thread itself is, before it switches to others.
  void adopt_thread();
  // For a fiber that will never run again.
  void release();

  // Leaves `this`, which must be running, and comes back when something switches to it.
  void switch_to(Fiber& next);

 private:
  void arrived_from(Fiber* before);

  void* context_ = nullptr;
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
#if defined(KEYSIEVE_FIBER_ADDRESS_SANITIZER)
  const void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
  void* fake_stack_ = nullptr;
#endif
#if defined(KEYSIEVE_FIBER_THREAD_SANITIZER)
  void* sanitizer_fiber_ = nullptr;
#endif
  friend struct FiberEntry;
};

inline void Fiber::arrived_from([[maybe_unused]] Fiber* before) {
#if defined(KEYSIEVE_FIBER_ADDRESS_SANITIZER)
  // The way to learn the bounds of the host thread's own stack.
  __sanitizer_finish_switch_fiber(fake_stack_, &before->bottom_, &before->bytes_);
#endif
}

// Inline: after a switch the processor mispredicts every return, so there should be few.
inline void Fiber::switch_to(Fiber& next) {
  Handover handover{this, &next};
#if defined(KEYSIEVE_FIBER_ADDRESS_SANITIZER)
  __sanitizer_start_switch_fiber(&fake_stack_, next.bottom_, next.bytes_);
#endif
#if defined(KEYSIEVE_FIBER_THREAD_SANITIZER)
  __tsan_switch_to_fiber(next.sanitizer_fiber_, 0);
#endif
  const auto transfer = boost::context::detail::jump_fcontext(next.context_, &handover);
  Fiber* before = static_cast<const Handover*>(transfer.data)->from;
  before->context_ = transfer.fctx;
  arrived_from(before);
}

// Stacks with a page in front of each that faults. They are kept until the pool goes.
class StackPool {
 public:
  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  std::byte* take();

 private:
  struct Slab {
    std::byte* begin;
    std::size_t bytes;
  };
  std::vector<Slab> slabs_;
  std::size_t left_ = 0;
  std::byte* next_ = nullptr;
};

}  // namespace keysieve::simt::host

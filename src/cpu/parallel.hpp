// Threads of the CPU backend.
#pragma once

#include <cstdint>
#include <type_traits>

namespace keysieve::cpu {

// A borrowed callable: no allocation, lives as long as the call it is passed to.
class IndexedBody {
 public:
  template <typename Callable>
  explicit IndexedBody(const Callable& callable)
      : object_(&callable), call_([](const void* object, std::int32_t worker, std::int64_t index) {
          (*static_cast<const Callable*>(object))(worker, index);
        }) {}
  void operator()(std::int32_t worker, std::int64_t index) const { call_(object_, worker, index); }

 private:
  const void* object_;
  void (*call_)(const void*, std::int32_t, std::int64_t);
};

// Calls body(worker, index) once for every index in [0, count); two calls that overlap in time have different
// workers in [0, threads). threads == 1, one piece of work, or a child after fork(): inline on this thread.
void parallel_for_each(std::int32_t threads, std::int64_t count, const IndexedBody& body);

}  // namespace keysieve::cpu

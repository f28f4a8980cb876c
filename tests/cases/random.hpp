// The random numbers behind cases that are drawn.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace keysieve::cases {

// splitmix64: tiny, and the same everywhere, which the standard distributions are not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t x = state_ += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }
  // In [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return between(0, 99) < percent; }

  template <typename T>
  T one_of(std::initializer_list<T> options) {
    return *(options.begin() + between(0, static_cast<std::int64_t>(options.size()) - 1));
  }

 private:
  std::uint64_t state_;
};

}  // namespace keysieve::cases

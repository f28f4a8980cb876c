// The yardstick: a thread that reads a buffer once and does nothing else.
#pragma once

#include <cstdint>
#include <span>

namespace keysieve::bench {

// XOR of all words, so that no load can be left out.
std::uint32_t read_once(std::span<const std::uint32_t> words);

}  // namespace keysieve::bench

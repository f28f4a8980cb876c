// Empties the CPU's caches of some memory.
#pragma once

#include <cstddef>

namespace keysieve::bench {

// Whether this build knows how.
bool can_flush_caches();

// Writes back and drops every line of the range, at all levels and on all cores.
void flush_caches(const void* begin, std::size_t bytes);

}  // namespace keysieve::bench

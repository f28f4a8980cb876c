// Launches of device code on the host, one cluster after another, all threads of a cluster as fibers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace keysieve::simt {

struct LaunchShape {
  std::int64_t blocks = 1;
  int threads = 32;
  std::int64_t shared_bytes = 0;
  int cluster_blocks = 1;
  // 0: clusters, warps and lanes run in their natural order. Anything else: in an order that the seed draws anew
  // between collectives. A reader that no barrier holds back runs before its writer under some seeds.
  std::uint64_t order_seed = 0;
};

// Runs `kernel` once per thread. Empty, or what went wrong first: a broken rule of simt.hpp (lanes, warps or blocks
// that wait for each other in different places or after some have returned, a write beyond the shared memory,
// a shape that no GPU takes, ...) or an exception that left the kernel. The threads then unwind by an exception out of
// their collectives, so kernels must not be noexcept.
// Shared memory starts as garbage, 16-byte aligned and not more. Stacks are small (64 KiB): no large locals.
// Any number of host threads may launch at once; a kernel itself may not.
std::string run_on_host(const LaunchShape& shape, const std::function<void()>& kernel);

// How many threads called wait_for_dependencies (each call counts) in the last launch of the calling host thread.
std::int64_t dependency_waits();

}  // namespace keysieve::simt

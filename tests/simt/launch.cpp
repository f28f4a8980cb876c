#include "simt/launch.hpp"

#include <cstddef>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "simt/scheduler.hpp"

namespace keysieve::simt {
namespace {

constexpr int kMaxThreads = 1024;
constexpr int kMaxClusterBlocks = 16;
constexpr std::int64_t kMaxSharedBytes = 227 * 1024;

// Around each block's shared memory. 80: the memory is aligned to 16 bytes and never to 32.
constexpr std::int64_t kCacheLine = 64;
constexpr std::int64_t kBytesInFront = kCacheLine + 16;
constexpr std::int64_t kBytesBehind = 256;
constexpr auto kCanary = std::byte{0x5C};

std::string check_shape(const LaunchShape& shape) {
  if (shape.threads < kWarpLanes || shape.threads > kMaxThreads || shape.threads % kWarpLanes != 0) {
    return "threads: expected a multiple of 32 up to 1024, got " + std::to_string(shape.threads);
  }
  if (shape.cluster_blocks < 1 || shape.cluster_blocks > kMaxClusterBlocks) {
    return "cluster_blocks: expected 1 to 16, got " + std::to_string(shape.cluster_blocks);
  }
  if (shape.blocks < 1 || shape.blocks % shape.cluster_blocks != 0) {
    return "blocks: expected a multiple of the " + std::to_string(shape.cluster_blocks) + " of a cluster, got " +
           std::to_string(shape.blocks);
  }
  if (shape.shared_bytes < 0 || shape.shared_bytes > kMaxSharedBytes) {
    return "shared_bytes: expected 0 to " + std::to_string(kMaxSharedBytes) + ", got " +
           std::to_string(shape.shared_bytes);
  }
  return {};
}

// The shared memories of one cluster.
class SharedMemory {
 public:
  void prepare(std::int64_t blocks, std::int64_t bytes) {
    blocks_ = blocks;
    bytes_ = bytes;
    stride_ = (kBytesInFront + bytes + kBytesBehind + kCacheLine - 1) / kCacheLine * kCacheLine;
    memory_.resize(static_cast<std::size_t>(stride_ * blocks_ + kCacheLine));
    const auto past_a_line = reinterpret_cast<std::uintptr_t>(memory_.data()) % kCacheLine;
    begin_ = memory_.data() + (kCacheLine - static_cast<std::int64_t>(past_a_line));
  }

  std::byte* first() { return begin_ + kBytesInFront; }
  std::int64_t stride() const { return stride_; }

  void poison(std::byte value) {
    for (std::int64_t block = 0; block < blocks_; ++block) {
      std::byte* at = begin_ + block * stride_;
      std::memset(at, static_cast<int>(kCanary), static_cast<std::size_t>(stride_));
      std::memset(at + kBytesInFront, static_cast<int>(value), static_cast<std::size_t>(bytes_));
    }
  }

  // Empty, or where the first byte outside was written.
  std::string check(std::int64_t first_block) const {
    for (std::int64_t block = 0; block < blocks_; ++block) {
      const std::byte* shared = begin_ + block * stride_ + kBytesInFront;
      for (std::int64_t i = -kBytesInFront; i < stride_ - kBytesInFront; ++i) {
        if (i == 0) i += bytes_;
        if (shared[i] == kCanary) continue;
        return "block " + std::to_string(first_block + block) + ": byte " + std::to_string(i) + " of " +
               std::to_string(bytes_) + " bytes of shared memory was written";
      }
    }
    return {};
  }

 private:
  std::vector<std::byte> memory_;
  std::byte* begin_ = nullptr;
  std::int64_t blocks_ = 0, bytes_ = 0, stride_ = 0;
};

struct Machine {
  SharedMemory shared;
  host::Scheduler scheduler;
};

Machine& machine_of_this_thread() {
  thread_local std::unique_ptr<Machine> machine;
  if (!machine) machine = std::make_unique<Machine>();
  return *machine;
}

}  // namespace

std::string run_on_host(const LaunchShape& shape, const std::function<void()>& kernel) {
  if (host::current != nullptr) return "run_on_host was called inside a kernel";
  if (std::string error = check_shape(shape); !error.empty()) return error;

  Machine& machine = machine_of_this_thread();
  machine.scheduler.dependency_waits = 0;
  machine.shared.prepare(shape.cluster_blocks, shape.shared_bytes);
  host::BlockInfo block;
  block.num_blocks = shape.blocks;
  block.shared_bytes = shape.shared_bytes;
  block.threads = shape.threads;
  block.cluster_blocks = shape.cluster_blocks;
  machine.scheduler.prepare(block, machine.shared.first(), machine.shared.stride(), shape.order_seed);

  std::mt19937_64 generator(shape.order_seed);
  std::vector<std::int64_t> order;
  if (shape.order_seed != 0) {
    order.resize(static_cast<std::size_t>(shape.blocks / shape.cluster_blocks));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[generator() % left]);
  }
  for (std::int64_t i = 0; i < shape.blocks / shape.cluster_blocks; ++i) {
    const std::int64_t cluster = order.empty() ? i : order[static_cast<std::size_t>(i)];
    const std::int64_t first_block = cluster * shape.cluster_blocks;
    machine.shared.poison(shape.order_seed == 0 ? std::byte{0xA5} : static_cast<std::byte>(generator() >> 56));
    std::string error = machine.scheduler.run_cluster(first_block, kernel);
    if (error.empty()) error = machine.shared.check(first_block);
    if (!error.empty()) return error;
  }
  return {};
}

std::int64_t dependency_waits() { return machine_of_this_thread().scheduler.dependency_waits; }

}  // namespace keysieve::simt

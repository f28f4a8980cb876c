// cluster.hpp on the host: the blocks of a cluster live together, each with shared memory of its own.
// Reported as broken rules: a rank or an address outside, a misaligned access, one to another block before the
// first sync_cluster (it may not have started) or after that block has ended.
#pragma once

#include <cstdint>

#include "simt/simt_host.hpp"

namespace keysieve::simt {

namespace host {

std::int64_t remote_offset(const void* local, int rank);
std::byte* remote_address(int rank, std::int64_t offset, int bytes);
void sync_cluster();

}  // namespace host

class RemoteShared {
 public:
  KEYSIEVE_DEVICE RemoteShared(const void* local, int rank) : offset_(host::remote_offset(local, rank)), rank_(rank) {}
  KEYSIEVE_DEVICE std::uint32_t load_u32(std::int64_t element) const { return load<std::uint32_t>(element); }
  KEYSIEVE_DEVICE std::uint64_t load_u64(std::int64_t element) const { return load<std::uint64_t>(element); }
  KEYSIEVE_DEVICE void store_u32(std::int64_t element, std::uint32_t value) const { store(element, value); }
  KEYSIEVE_DEVICE void store_u64(std::int64_t element, std::uint64_t value) const { store(element, value); }
  KEYSIEVE_DEVICE void add_u32(std::int64_t element, std::uint32_t value) const { fetch_add_u32(element, value); }
  KEYSIEVE_DEVICE std::uint32_t fetch_add_u32(std::int64_t element, std::uint32_t value) const {
    const std::uint32_t old = load_u32(element);
    store_u32(element, old + value);
    return old;
  }

 private:
  template <typename T>
  T load(std::int64_t element) const {
    T value;
    std::memcpy(&value, host::remote_address(rank_, offset_ + element * static_cast<int>(sizeof(T)), sizeof(T)),
                sizeof(T));
    return value;
  }
  template <typename T>
  void store(std::int64_t element, T value) const {
    std::memcpy(host::remote_address(rank_, offset_ + element * static_cast<int>(sizeof(T)), sizeof(T)), &value,
                sizeof(T));
  }
  std::int64_t offset_;
  int rank_;
};

KEYSIEVE_DEVICE int cluster_rank() { return host::here().block->cluster_rank; }
KEYSIEVE_DEVICE int cluster_blocks() { return host::here().block->cluster_blocks; }
KEYSIEVE_DEVICE void sync_cluster() { host::sync_cluster(); }
KEYSIEVE_DEVICE void arrive_at_cluster() {}  // all of it happens in the wait
KEYSIEVE_DEVICE void wait_for_cluster() { host::sync_cluster(); }

}  // namespace keysieve::simt

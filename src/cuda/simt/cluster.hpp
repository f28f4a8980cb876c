// Thread-block clusters: a second kind of shared memory with a type of its own.
//
// A block's own shared memory is reached by pointers, another block's only by RemoteShared. The two never meet
// in one variable: nvcc 13.1 to 13.5 lowered such code wrongly. Loads and stores name the shared::cluster space.
#pragma once

#include "cuda/simt/simt.hpp"

#if defined(__CUDACC__)

namespace keysieve::simt {

// Shared memory of one block of the cluster, addressed like the caller's own (all blocks have the same layout).
class RemoteShared {
 public:
  // `local`: an address in the caller's own shared memory; the result names the same place in block `rank`.
  KEYSIEVE_DEVICE RemoteShared(const void* local, int rank) {
    const auto own = static_cast<std::uint32_t>(__cvta_generic_to_shared(local));
#if __CUDA_ARCH__ >= 900
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address_) : "r"(own), "r"(rank));
#else
    address_ = own;
#endif
  }
  KEYSIEVE_DEVICE std::uint32_t load_u32(std::int64_t element) const {
    std::uint32_t value = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(at(element, 4)) : "memory");
#endif
    return value;
  }
  KEYSIEVE_DEVICE void store_u32(std::int64_t element, std::uint32_t value) const {
#if __CUDA_ARCH__ >= 900
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at(element, 4)), "r"(value) : "memory");
#endif
  }
  KEYSIEVE_DEVICE void store_u64(std::int64_t element, std::uint64_t value) const {
#if __CUDA_ARCH__ >= 900
    asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(at(element, 8)), "l"(value) : "memory");
#endif
  }
  // Relaxed, and nobody waits for it.
  KEYSIEVE_DEVICE void add_u32(std::int64_t element, std::uint32_t value) const {
#if __CUDA_ARCH__ >= 900
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(at(element, 4)), "r"(value) : "memory");
#endif
  }
  // Relaxed; the old value comes back, which takes a round trip.
  KEYSIEVE_DEVICE std::uint32_t fetch_add_u32(std::int64_t element, std::uint32_t value) const {
    std::uint32_t old = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("atom.relaxed.cluster.shared::cluster.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "r"(at(element, 4)), "r"(value)
                 : "memory");
#endif
    return old;
  }
  KEYSIEVE_DEVICE std::uint64_t load_u64(std::int64_t element) const {
    std::uint64_t value = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(value) : "r"(at(element, 8)) : "memory");
#endif
    return value;
  }

 private:
  KEYSIEVE_DEVICE std::uint32_t at(std::int64_t element, int bytes) const {
    return address_ + static_cast<std::uint32_t>(element * bytes);
  }
  std::uint32_t address_;
};

KEYSIEVE_DEVICE int cluster_rank() {
  std::uint32_t rank = 0;
#if __CUDA_ARCH__ >= 900
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return static_cast<int>(rank);
}

KEYSIEVE_DEVICE int cluster_blocks() {
  std::uint32_t blocks = 1;
#if __CUDA_ARCH__ >= 900
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
#endif
  return static_cast<int>(blocks);
}

// Releases this block's shared-memory writes to the cluster and acquires those of the others. All threads of all
// blocks call it; a block whose row is empty too.
KEYSIEVE_DEVICE void sync_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

// sync_cluster in two parts: what a thread does in between need not wait for the other blocks. Every thread calls both,
// once each before the next cluster operation.
KEYSIEVE_DEVICE void arrive_at_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
KEYSIEVE_DEVICE void wait_for_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

}  // namespace keysieve::simt

#else
#include "simt/cluster_host.hpp"
#endif

// What the variants of the positive control share.
//
// A variant is one kernel of one cluster. Source rank q writes kWords words of value q + 1 into the q-th segment of
// some rank's shared memory, through a pointer that is that block's own memory on some ranks and another block's on
// others. Afterwards out[q] is the number of words of q that are where they belong: kWords for every q, unless the
// compiler lost one of the two meanings of the pointer. No header of the language: NVRTC compiles these files too.
#pragma once

namespace control {

constexpr unsigned kRanks = 4;
constexpr unsigned kWords = 64;
// Words in front of the segments. A lost base address is 0, the first byte of rank 0: stores then fall into this gap
// and not into the memory that the hardware keeps for itself.
constexpr unsigned kGap = 1024;
constexpr unsigned kSharedWords = kGap + kRanks * kWords;

__device__ __forceinline__ unsigned rank() { return __clusterRelativeBlockRank(); }

__device__ __forceinline__ void sync() {
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
}

__device__ __forceinline__ unsigned* mapped(unsigned* own, unsigned to) {
  return static_cast<unsigned*>(__cluster_map_shared_rank(own, to));
}

__device__ __forceinline__ unsigned slot_of(unsigned source, unsigned word) { return kGap + source * kWords + word; }

__device__ __forceinline__ void clear(unsigned* own) {
  for (unsigned i = threadIdx.x; i < kSharedWords; i += blockDim.x) own[i] = 0;
  sync();
}

// Where the words of `source` belong: beyond rank 0, each rank keeps its own.
__device__ __forceinline__ unsigned home_of(unsigned source) { return source == 0 ? 1 : source; }

__device__ __forceinline__ unsigned right_words(const unsigned* own, unsigned source) {
  unsigned right = 0;
#pragma unroll 1
  for (unsigned word = 0; word < kWords; ++word) right += own[slot_of(source, word)] == source + 1 ? 1 : 0;
  return right;
}

// `all_in_primary`: rank 0 holds the words of every rank.
__device__ __forceinline__ void report(const unsigned* own, unsigned* out, bool all_in_primary) {
  sync();
  const unsigned source = threadIdx.x;
  if (source >= kRanks) return;
  const unsigned home = all_in_primary ? 0 : home_of(source);
  if (home == rank()) out[source] = right_words(own, source);
}

}  // namespace control

#define CONTROL_KERNEL(name) extern "C" __global__ void __cluster_dims__(4, 1, 1) name

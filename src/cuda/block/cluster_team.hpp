// The blocks of a cluster as a team. They exchange numbers by storing them into each other's shared memory: nobody
// waits for an answer to a store, and one cluster barrier makes all of them visible.
#pragma once

#include "cuda/block/team.hpp"
#include "cuda/simt/cluster.hpp"

namespace keysieve {

class ClusterTeam {
 public:
  // `blocks`: all of the cluster, or 1, the first alone, where the others have nothing to do.
  KEYSIEVE_DEVICE ClusterTeam(const Block& block, int blocks)
      : block_(block),
        memory_(reinterpret_cast<ClusterMemory*>(block.inbox_memory)),
        rank_(simt::cluster_rank()),
        blocks_(blocks) {}

  KEYSIEVE_DEVICE int rank() const { return rank_; }
  KEYSIEVE_DEVICE ClusterMemory& memory() const { return *memory_; }

  // All threads: what is not written before it is read. A cluster barrier must follow before anything is exchanged.
  KEYSIEVE_DEVICE void clear() const {
    KEYSIEVE_NO_UNROLL
    for (std::int32_t i = simt::thread_index(); i < kSelectBins / 4; i += simt::block_threads()) {
      reinterpret_cast<simt::Vector*>(memory_->slice)[i] = simt::Vector{};
    }
    if (simt::thread_index() == 0) memory_->chosen_in_front = 0;
  }

  KEYSIEVE_DEVICE KeyRange range(int exchange, const KeyRange& mine) const {
    const KeyRange own = range_of_block(block_.early_partials(2 * exchange), mine);
    if (blocks_ == 1) return own;
    std::uint64_t* ranges = memory_->ranges[exchange];
    if (simt::thread_index() < blocks_) {
      const simt::RemoteShared remote(ranges, simt::thread_index());
      remote.store_u64(rank_, (static_cast<std::uint64_t>(own.highest) << 32) | own.lowest);
    }
    simt::sync_cluster();
    const int lane = simt::lane_index();
    const std::uint64_t theirs = lane < blocks_ ? ranges[lane] : 0xFFFFFFFFu;
    return {simt::warp_min(static_cast<Key>(theirs)), simt::warp_max(static_cast<Key>(theirs >> 32))};
  }

  KEYSIEVE_DEVICE FoundBin find_bin(std::uint32_t wanted) const {
    simt::sync_block();
    if (blocks_ > 1) add_up_bins();
    return find_bin_by_block(block_, wanted);
  }

  KEYSIEVE_DEVICE TeamSum sum(int exchange, std::uint32_t of_block) const {
    if (blocks_ == 1) return {0, of_block};
    send_sum(exchange, of_block);
    simt::sync_cluster();
    return sum_in_front(memory_->sums[exchange]);
  }

  KEYSIEVE_DEVICE static void store_in_first(Composite* entries, std::int32_t index, Composite value) {
    simt::RemoteShared(entries, 0).store_u64(index, value);
  }
  KEYSIEVE_DEVICE void sync() const {
    if (blocks_ > 1) {
      simt::sync_cluster();
    } else {
      simt::sync_block();
    }
  }

  // The two halves of `sum`, around a cluster barrier.
  KEYSIEVE_DEVICE void send_sum(int exchange, std::uint32_t of_block) const {
    if (simt::thread_index() >= blocks_) return;
    simt::RemoteShared(memory_->sums[exchange], simt::thread_index()).store_u32(rank_, of_block);
  }
  KEYSIEVE_DEVICE TeamSum sum_in_front(const std::uint32_t* sums) const {
    const int lane = simt::lane_index();
    const std::uint32_t theirs = lane < blocks_ ? sums[lane] : 0;
    return {simt::warp_sum(lane < rank_ ? theirs : 0), simt::warp_sum(theirs)};
  }

  // What lies at this block's boundary goes to all blocks, who have `num_boundary` of block r in memory().boundary[r].
  // Behind a barrier of the block; a cluster barrier must follow.
  KEYSIEVE_DEVICE void send_boundary() const {
    const auto count = static_cast<int>(block_.state->num_boundary);
    KEYSIEVE_NO_UNROLL
    for (int i = simt::thread_index(); i < count * blocks_; i += simt::block_threads()) {
      simt::RemoteShared(memory_->boundary[rank_], i / count).store_u64(i % count, block_.boundary[i % count]);
    }
    if (simt::thread_index() < blocks_) {
      simt::RemoteShared(memory_->num_boundary, simt::thread_index())
          .store_u32(rank_, static_cast<std::uint32_t>(count));
    }
  }
  // Behind that barrier: all of them in this block's boundary, as if it had found them itself. A barrier must follow.
  KEYSIEVE_DEVICE void receive_boundary() const {
    const int lane = simt::lane_index();
    const std::uint32_t theirs = lane < blocks_ ? memory_->num_boundary[lane] : 0;
    KEYSIEVE_NO_UNROLL
    for (int other = simt::warp_index(); other < blocks_; other += simt::block_warps()) {
      const std::uint32_t first = simt::warp_sum(lane < other ? theirs : 0);
      const std::uint32_t count = simt::shuffle(theirs, other);
      KEYSIEVE_NO_UNROLL
      for (auto i = static_cast<std::uint32_t>(lane); i < count; i += simt::kWarpLanes) {
        block_.boundary[first + i] = memory_->boundary[other][i];
      }
    }
    const std::uint32_t total = simt::warp_sum(theirs);
    if (simt::thread_index() == 0) block_.state->num_boundary = total;
  }

 private:
  // Every block adds up a share of the bins and tells the sums to all. All threads, behind a barrier of the block.
  KEYSIEVE_DEVICE void add_up_bins() const {
    const int share = kSelectBins >> simt::highest_bit(static_cast<std::uint32_t>(blocks_));  // a power of two
    KEYSIEVE_NO_UNROLL
    for (int i = simt::thread_index(); i < kSelectBins; i += simt::block_threads()) {
      const std::uint32_t count = block_.bins[i];
      if (count != 0) simt::RemoteShared(memory_->slice, i / share).add_u32(i % share, count);
    }
    simt::sync_cluster();
    const int first = rank_ * share;
    KEYSIEVE_NO_UNROLL
    for (int i = simt::thread_index(); i < share * blocks_; i += simt::block_threads()) {
      if (first >= kSelectBins) break;  // more blocks than shares
      const simt::RemoteShared bins(block_.bins, i / share);
      bins.store_u32(first + i % share, memory_->slice[i % share]);
    }
    simt::sync_cluster();
    KEYSIEVE_NO_UNROLL
    for (int i = simt::thread_index(); i < share; i += simt::block_threads()) memory_->slice[i] = 0;
  }

  const Block& block_;
  ClusterMemory* memory_;
  int rank_;
  int blocks_;
};

}  // namespace keysieve

// What simt_host.hpp and cluster_host.hpp call, for the running thread.
#include <stdexcept>

#include "simt/cluster_host.hpp"
#include "simt/scheduler.hpp"

namespace keysieve::simt::host {

namespace {

Thread& running_thread() { return static_cast<Thread&>(here()); }
Scheduler& scheduler_of(const Thread& thread) { return *thread.in_warp->block->scheduler; }

[[noreturn]] void fail(const Thread& self, const std::string& rule) { scheduler_of(self).fail(self, rule); }

std::uint32_t combine(Collective kind, std::uint32_t a, std::uint32_t b) {
  switch (kind) {
    case Collective::kBallot:
    case Collective::kAny:
      return a | b;
    case Collective::kAll:
      return a & b;
    case Collective::kSum:
      return a + b;
    case Collective::kMax:
      return a < b ? b : a;
    case Collective::kMin:
      return b < a ? b : a;
    default:
      return 0;
  }
}

}  // namespace

void outside_of_a_launch() { throw std::logic_error("device code was called outside of run_on_host"); }

void misuse(const char* rule) { fail(running_thread(), rule); }

std::uint32_t warp_vote(Collective kind, std::uint32_t value) {
  Thread& self = running_thread();
  Scheduler& scheduler = scheduler_of(self);
  Warp& warp = *self.in_warp;
  scheduler.arrive(self, kind);
  if (kind == Collective::kBallot) value <<= self.lane;
  std::uint32_t& vote = warp.votes[warp.parity];
  vote = warp.position == 1 ? value : combine(kind, vote, value);
  if (warp.round_is_over()) scheduler.finish_warp_operation(warp);
  scheduler.suspend(self);
  return vote;
}

std::uint64_t warp_exchange(Collective kind, std::uint64_t value, int source_lane) {
  Thread& self = running_thread();
  Scheduler& scheduler = scheduler_of(self);
  Warp& warp = *self.in_warp;
  scheduler.arrive(self, kind);
  std::uint64_t* values = warp.values[warp.parity];
  values[self.lane] = value;
  if (warp.round_is_over()) scheduler.finish_warp_operation(warp);
  scheduler.suspend(self);
  return values[source_lane];
}

int block_vote(Collective kind, bool value) {
  Thread& self = running_thread();
  Scheduler& scheduler = scheduler_of(self);
  Warp& warp = *self.in_warp;
  scheduler.arrive(self, kind);
  int& vote = warp.block->votes[warp.block->parity];
  vote += value ? 1 : 0;
  if (warp.round_is_over()) scheduler.finish_block_barrier(warp);
  scheduler.suspend(self);
  return vote;
}

void sync_cluster() {
  Thread& self = running_thread();
  Scheduler& scheduler = scheduler_of(self);
  scheduler.arrive(self, Collective::kSyncCluster);
  if (self.in_warp->round_is_over()) scheduler.finish_cluster_barrier(*self.in_warp);
  scheduler.suspend(self);
}

void count_dependency_wait() { ++scheduler_of(running_thread()).dependency_waits; }

std::int64_t remote_offset(const void* local, int rank) {
  const Thread& self = running_thread();
  const BlockInfo& block = *self.block;
  if (rank < 0 || rank >= block.cluster_blocks) {
    fail(self,
         "RemoteShared of rank " + std::to_string(rank) + " in a cluster of " + std::to_string(block.cluster_blocks));
  }
  // As numbers: the address may belong to something else.
  const auto offset = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(local) -
                                                reinterpret_cast<std::uintptr_t>(block.shared));
  if (offset < 0 || offset > block.shared_bytes) {
    fail(self, "RemoteShared of an address that is not in the block's shared memory");
  }
  return offset;
}

std::byte* remote_address(int rank, std::int64_t offset, int bytes) {
  const Thread& self = running_thread();
  const Scheduler& scheduler = scheduler_of(self);
  const Block& block = scheduler.block_of_rank(rank);
  if (offset < 0 || offset > block.shared_bytes - bytes || offset % bytes != 0) {
    fail(self, "remote access of " + std::to_string(bytes) + " bytes at byte " + std::to_string(offset) + " of " +
                   std::to_string(block.shared_bytes));
  }
  if (&block != self.in_warp->block) {
    if (!scheduler.cluster_has_synced()) fail(self, "remote access before the first sync_cluster");
    if (block.returned_warps == block.num_warps) {
      fail(self, "remote access to rank " + std::to_string(rank) + ", which has ended");
    }
  }
  return block.shared + offset;
}

}  // namespace keysieve::simt::host

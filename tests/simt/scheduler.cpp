#include "simt/scheduler.hpp"

#include <utility>

namespace keysieve::simt::host {

constinit thread_local ThreadInfo* current = nullptr;

Scheduler::~Scheduler() {
  for (const auto& threads : warp_threads_) {
    for (int lane = 0; lane < kWarpLanes; ++lane) threads[lane].fiber.release();
  }
}

void Scheduler::make_warp_threads() {
  const std::size_t before = warp_threads_.size() * kWarpLanes;
  warp_threads_.push_back(std::make_unique<Thread[]>(kWarpLanes));
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    Thread& thread = warp_threads_.back()[lane];
    thread.lane = lane;
    // Stacks are whole pages apart: without different starts their busy lines would share one set of the L1 cache.
    const std::size_t unused_top = (before + static_cast<std::size_t>(lane)) * 5 % 64 * 64;
    thread.fiber.make(stacks_.take(), unused_top, thread_main, &thread);
  }
}

void Scheduler::prepare(const BlockInfo& shape, std::byte* shared, std::int64_t shared_stride,
                        std::uint64_t order_seed) {
  const auto num_blocks = static_cast<std::size_t>(shape.cluster_blocks);
  const auto warps_per_block = static_cast<std::size_t>(shape.threads / kWarpLanes);
  while (warp_threads_.size() < num_blocks * warps_per_block) make_warp_threads();
  warps_.assign(num_blocks * warps_per_block, Warp());
  blocks_.assign(num_blocks, Block());
  for (std::size_t rank = 0; rank < num_blocks; ++rank) {
    Block& block = blocks_[rank];
    static_cast<BlockInfo&>(block) = shape;
    block.cluster_rank = static_cast<int>(rank);
    block.shared = shared + static_cast<std::int64_t>(rank) * shared_stride;
    block.scheduler = this;
    block.warps = &warps_[rank * warps_per_block];
    block.num_warps = static_cast<int>(warps_per_block);
    for (int index = 0; index < block.num_warps; ++index) {
      Warp& warp = block.warps[index];
      warp.block = &block;
      warp.index = index;
      warp.lanes = warp_threads_[rank * warps_per_block + static_cast<std::size_t>(index)].get();
      for (int lane = 0; lane < kWarpLanes; ++lane) {
        Thread& thread = warp.lanes[lane];
        thread.block = &block;
        thread.in_warp = &warp;
        thread.index = index * kWarpLanes + lane;
        thread.warp = index;
      }
    }
  }
  order_seed_ = order_seed;
  random_state_ = order_seed;
  // Some seeds mix warps finely, others let one run far ahead.
  constexpr std::uint64_t kStayMasks[] = {0, 1, 15, ~std::uint64_t{0}};
  stay_mask_ = order_seed == 0 ? ~std::uint64_t{0} : kStayMasks[random() >> 62];
}

std::uint64_t Scheduler::random() {  // SplitMix64
  std::uint64_t value = random_state_ += 0x9E3779B97F4A7C15u;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

void Scheduler::begin_round(Warp& warp) {
  warp.position = 0;
  if (order_seed_ == 0) return;
  const std::uint64_t bits = random();
  warp.step = static_cast<int>(bits % kWarpLanes) | 1;
  warp.first = static_cast<int>((bits >> 8) % kWarpLanes);
  warp.flip = static_cast<int>((bits >> 16) % kWarpLanes);
}

void Scheduler::begin_next_warp() {
  running_ = nullptr;
  if (failed_ || ready_.empty()) return;
  if (order_seed_ != 0) std::swap(ready_[random() % ready_.size()], ready_.back());
  running_ = ready_.back();
  ready_.pop_back();
}

void Scheduler::release(Block& block) {
  for (int warp = block.num_warps - 1; warp >= 0; --warp) {
    begin_round(block.warps[warp]);
    ready_.push_back(&block.warps[warp]);
  }
  running_ = nullptr;
}

void Scheduler::finish_warp_operation(Warp& warp) {
  warp.parity ^= 1;
  begin_round(warp);
  if (order_seed_ == 0 || ready_.empty() || (random() & stay_mask_) != 0) return;
  ready_.push_back(&warp);
  running_ = nullptr;
}

void Scheduler::stop(const std::string& error) {
  if (!failed_) error_ = error;
  failed_ = true;
}

void Scheduler::fail(const Thread& self, const std::string& rule) {
  stop("block " + std::to_string(self.block->index) + ", thread " + std::to_string(self.index) + ": " + rule);
  throw Unwind();
}

void Scheduler::thread_main(void* argument) {
  Thread& self = *static_cast<Thread*>(argument);
  for (;;) {
    self.active = true;
    // Which scheduler and kernel is asked anew: the thread serves one launch after another.
    Scheduler& scheduler = *self.in_warp->block->scheduler;
    try {
      (*scheduler.kernel_)();
      scheduler.arrive(self, Collective::kReturn);
      if (self.in_warp->round_is_over()) ++self.in_warp->block->returned_warps;
    } catch (const Unwind&) {
    } catch (const std::exception& error) {
      scheduler.stop("block " + std::to_string(self.block->index) + ", thread " + std::to_string(self.index) +
                     ": exception: " + error.what());
    } catch (...) {
      scheduler.stop("block " + std::to_string(self.block->index) + ", thread " + std::to_string(self.index) +
                     ": exception of unknown type");
    }
    self.active = false;
    scheduler.leave(self.fiber, scheduler.next_thread());
  }
}

void Scheduler::fail_apart(const Thread& self, Collective kind) {
  const Warp& warp = *self.in_warp;
  const std::string other = " where lane " + std::to_string(warp.first_lane) + " of its warp has ";
  if (kind != warp.kind) fail(self, name_of(kind) + other + name_of(warp.kind));
  fail(self, std::to_string(self.warp_index_calls) + " calls of warp_index by " + name_of(kind) + other +
                 std::to_string(warp.warp_index_calls));
}

bool Scheduler::arrive_at_barrier(const Warp& warp, Barrier& barrier) {
  if (barrier.arrived == 0) {
    barrier.kind = warp.kind;
    barrier.first = &warp;
  } else if (warp.kind != barrier.kind) {
    fail(warp.lanes[0], std::string(name_of(warp.kind)) + " where warp " + std::to_string(barrier.first->index) +
                            " of its block has " + name_of(barrier.kind));
  }
  if (++barrier.arrived < barrier.expected) return false;
  barrier.arrived = 0;
  ++barrier.completed;
  return true;
}

void Scheduler::finish_block_barrier(const Warp& warp) {
  Block& block = *warp.block;
  if (!arrive_at_barrier(warp, block.barrier)) return;
  block.parity ^= 1;
  block.votes[block.parity] = 0;  // of the barrier before: all have read it
  release(block);
}

void Scheduler::finish_cluster_barrier(const Warp& warp) {
  if (!arrive_at_barrier(warp, cluster_barrier_)) return;
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) release(*block);
}

void Scheduler::unwind_all() {
  for (const Warp& warp : warps_) {
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      if (warp.lanes[lane].active) leave(root_, &warp.lanes[lane]);
    }
  }
}

std::string Scheduler::run_cluster(std::int64_t first_block, const std::function<void()>& kernel) {
  kernel_ = &kernel;
  error_.clear();
  failed_ = false;
  ready_.clear();
  cluster_barrier_ = Barrier();
  cluster_barrier_.expected = static_cast<int>(warps_.size());
  for (std::size_t rank = blocks_.size(); rank-- > 0;) {
    Block& block = blocks_[rank];
    block.index = first_block + static_cast<std::int64_t>(rank);
    block.returned_warps = 0;
    block.barrier = Barrier();
    block.barrier.expected = block.num_warps;
    block.votes[0] = block.votes[1] = 0;
    release(block);
    for (int warp = 0; warp < block.num_warps; ++warp) {
      for (int lane = 0; lane < kWarpLanes; ++lane) block.warps[warp].lanes[lane].warp_index_calls = 0;
    }
  }
  root_.adopt_thread();
  leave(root_, next_thread());
  for (const Block& block : blocks_) {
    if (block.returned_warps < block.num_warps && !failed_) stop(describe_stall(blocks_));
  }
  if (failed_) unwind_all();
  kernel_ = nullptr;
  return error_;
}

}  // namespace keysieve::simt::host

// Who runs next. All lanes of a warp reach every collective together, so a warp is let go as a whole and its lanes
// then run one after another, each up to its next collective or its end: a round. Barriers count warps.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "simt/fiber.hpp"
#include "simt/simt_host.hpp"

namespace keysieve::simt::host {

class Scheduler;
struct Warp;
struct Block;

struct Thread : ThreadInfo {
  Fiber fiber;
  Warp* in_warp = nullptr;
  bool active = false;  // has entered the kernel and not left it
};

struct Warp {
  Block* block = nullptr;
  Thread* lanes = nullptr;
  int index = 0;
  // The round: lane ((step * i + first) & 31) ^ flip is the i-th to run.
  int position = 0;
  int step = 1, first = 0, flip = 0;
  // Where the first lane of the round stopped, and what the warp waits for once all have.
  Collective kind = Collective::kReturn;
  int first_lane = 0;
  std::uint32_t warp_index_calls = 0;
  // Lanes read their results after others have gone on, at most to the next warp operation: two sets.
  unsigned parity = 0;
  std::uint32_t votes[2] = {};
  std::uint64_t values[2][kWarpLanes] = {};

  bool round_is_over() const { return position == kWarpLanes; }
  Thread& next_lane() { return lanes[((step * position++ + first) & (kWarpLanes - 1)) ^ flip]; }
};

struct Barrier {
  int expected = 0;  // warps
  int arrived = 0;
  Collective kind = Collective::kSyncBlock;
  const Warp* first = nullptr;
  std::int64_t completed = 0;
};

struct Block : BlockInfo {
  Scheduler* scheduler = nullptr;
  Warp* warps = nullptr;
  int num_warps = 0;
  int returned_warps = 0;
  Barrier barrier;
  unsigned parity = 0;  // as a warp's
  int votes[2] = {};
};

const char* name_of(Collective kind);
std::string describe_stall(const std::vector<Block>& blocks);

// Thrown out of collectives to unwind the threads of a launch that has failed.
struct Unwind {};

// One cluster at a time. Keeps its fibers for the next.
class Scheduler {
 public:
  Scheduler() = default;
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Shape of the clusters to come; block b's shared memory is at shared + b * shared_stride.
  void prepare(const BlockInfo& shape, std::byte* shared, std::int64_t shared_stride, std::uint64_t order_seed);
  // Empty or the first thing that went wrong.
  std::string run_cluster(std::int64_t first_block, const std::function<void()>& kernel);

  // For the collectives. A thread arrives, leaves its value, finishes what the last lane of its warp has to, and
  // suspends itself until its warp's next round.
  void arrive(Thread& self, Collective kind);
  void finish_warp_operation(Warp& warp);
  void finish_block_barrier(const Warp& warp);
  void finish_cluster_barrier(const Warp& warp);
  void suspend(Thread& self);
  [[noreturn]] void fail(const Thread& self, const std::string& rule);

  const Block& block_of_rank(int rank) const { return blocks_[static_cast<std::size_t>(rank)]; }
  bool cluster_has_synced() const { return cluster_barrier_.completed > 0; }

  std::int64_t dependency_waits = 0;

 private:
  static void thread_main(void* thread);
  void make_warp_threads();
  void begin_round(Warp& warp);
  void begin_next_warp();
  Thread* next_thread();
  void leave(Fiber& from, Thread* next);
  bool arrive_at_barrier(const Warp& warp, Barrier& barrier);  // true for the last
  void release(Block& block);
  [[noreturn]] void fail_apart(const Thread& self, Collective kind);
  void stop(const std::string& error);
  void unwind_all();
  std::uint64_t random();

  StackPool stacks_;
  Fiber root_;
  std::vector<std::unique_ptr<Thread[]>> warp_threads_;  // a warp each
  std::vector<Warp> warps_;
  std::vector<Block> blocks_;
  std::vector<Warp*> ready_;  // at the start of a round; the back runs first
  Warp* running_ = nullptr;
  Barrier cluster_barrier_;
  const std::function<void()>* kernel_ = nullptr;
  std::string error_;
  bool failed_ = false;
  std::uint64_t order_seed_ = 0;
  std::uint64_t random_state_ = 0;
  std::uint64_t stay_mask_ = 0;  // after a warp operation another warp goes on if random bits under it are all 0
};

inline void Scheduler::arrive(Thread& self, Collective kind) {
  Warp& warp = *self.in_warp;
  if (failed_) [[unlikely]]
    throw Unwind();  // the kernel has caught the first one
  if (warp.position == 1) {
    warp.kind = kind;
    warp.first_lane = self.lane;
    warp.warp_index_calls = self.warp_index_calls;
  } else if (kind != warp.kind || self.warp_index_calls != warp.warp_index_calls) [[unlikely]] {
    fail_apart(self, kind);
  }
}

inline Thread* Scheduler::next_thread() {
  if (failed_) return nullptr;
  if (running_ == nullptr || running_->round_is_over()) begin_next_warp();
  return running_ != nullptr ? &running_->next_lane() : nullptr;
}

// nullptr: the launching thread.
inline void Scheduler::leave(Fiber& from, Thread* next) {
  current = next;
  from.switch_to(next != nullptr ? next->fiber : root_);
}

inline void Scheduler::suspend(Thread& self) {
  Thread* next = next_thread();
  if (next == &self) return;
  leave(self.fiber, next);
  if (failed_) [[unlikely]]
    throw Unwind();
}

}  // namespace keysieve::simt::host

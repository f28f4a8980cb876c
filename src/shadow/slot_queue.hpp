// The slots of a shadow and what each of them is busy with: free -> filling -> waiting -> checking -> free.
//
// All memory is made at once. Locks are held for a few instructions, so that an observer never waits for a check.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "shadow/call_copy.hpp"

namespace keysieve::shadow {

struct Slot {
  CallCopy copy;
  std::vector<Piece> pieces;  // scratch of the observer
  bool check = false;         // false: its copies must land, nothing else
};

class SlotQueue {
 public:
  SlotQueue(std::int64_t slots, std::int64_t max_rows_per_call);

  // A free slot, now filling, or none.
  std::optional<std::int64_t> acquire();
  // The observer's own until one of the next three.
  Slot& at(std::int64_t slot) { return slots_[static_cast<std::size_t>(slot)]; }
  void submit(std::int64_t slot);   // filling -> waiting
  void release(std::int64_t slot);  // filling or checking -> free
  void retire(std::int64_t slot);   // never used again

  // For the worker: the slots that wait, oldest first. Sleeps until there are some, or `most` is over where some are
  // left from before. False: stop was called.
  bool wait_for_work(std::optional<std::chrono::microseconds> most, std::vector<std::int64_t>& waiting);
  void begin_check(std::int64_t slot);  // waiting -> checking
  // As they are now, oldest first.
  void list_waiting(std::vector<std::int64_t>& waiting);

  // Until all that were acquired before are free or retired; whether they are. No timeout: without limit.
  bool wait_until_drained(std::optional<std::chrono::milliseconds> timeout);

  void stop();
  bool is_stopping();

 private:
  enum class State { kFree, kFilling, kWaiting, kChecking, kRetired };

  void finish(std::int64_t slot, State state);
  void list_waiting_locked(std::vector<std::int64_t>& waiting) const;
  bool drained_up_to(std::uint64_t ticket) const;

  std::mutex mutex_;
  std::condition_variable work_, done_;
  std::vector<Slot> slots_;
  std::vector<State> states_;
  std::vector<std::uint64_t> tickets_;  // order of acquisition, of slots in use
  std::uint64_t next_ticket_ = 0;
  std::uint64_t submissions_ = 0, seen_submissions_ = 0;
  bool stopping_ = false;
};

}  // namespace keysieve::shadow

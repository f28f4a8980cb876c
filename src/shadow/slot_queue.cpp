#include "shadow/slot_queue.hpp"

#include <algorithm>

namespace keysieve::shadow {

SlotQueue::SlotQueue(std::int64_t slots, std::int64_t max_rows_per_call)
    : slots_(static_cast<std::size_t>(slots)),
      states_(static_cast<std::size_t>(slots), State::kFree),
      tickets_(static_cast<std::size_t>(slots)) {
  for (Slot& slot : slots_) slot.pieces.reserve(1 + kMaxPiecesPerRow * static_cast<std::size_t>(max_rows_per_call));
}

std::optional<std::int64_t> SlotQueue::acquire() {
  const std::lock_guard lock(mutex_);
  const auto free = std::find(states_.begin(), states_.end(), State::kFree);
  if (free == states_.end()) return std::nullopt;
  *free = State::kFilling;
  const auto slot = free - states_.begin();
  tickets_[static_cast<std::size_t>(slot)] = next_ticket_++;
  return slot;
}

void SlotQueue::submit(std::int64_t slot) {
  {
    const std::lock_guard lock(mutex_);
    states_[static_cast<std::size_t>(slot)] = State::kWaiting;
    ++submissions_;
  }
  work_.notify_one();
}

void SlotQueue::release(std::int64_t slot) { finish(slot, State::kFree); }
void SlotQueue::retire(std::int64_t slot) { finish(slot, State::kRetired); }

void SlotQueue::finish(std::int64_t slot, State state) {
  {
    const std::lock_guard lock(mutex_);
    states_[static_cast<std::size_t>(slot)] = state;
  }
  done_.notify_all();
}

bool SlotQueue::wait_for_work(std::optional<std::chrono::microseconds> most, std::vector<std::int64_t>& waiting) {
  std::unique_lock lock(mutex_);
  const auto ready = [&] { return stopping_ || submissions_ != seen_submissions_; };
  if (most) {
    work_.wait_for(lock, *most, ready);
  } else {
    work_.wait(lock, ready);
  }
  if (stopping_) return false;
  seen_submissions_ = submissions_;
  list_waiting_locked(waiting);
  return true;
}

void SlotQueue::list_waiting(std::vector<std::int64_t>& waiting) {
  const std::lock_guard lock(mutex_);
  list_waiting_locked(waiting);
}

void SlotQueue::list_waiting_locked(std::vector<std::int64_t>& waiting) const {
  waiting.clear();
  for (std::size_t slot = 0; slot < states_.size(); ++slot) {
    if (states_[slot] == State::kWaiting) waiting.push_back(static_cast<std::int64_t>(slot));
  }
  std::sort(waiting.begin(), waiting.end(), [&](std::int64_t a, std::int64_t b) {
    return tickets_[static_cast<std::size_t>(a)] < tickets_[static_cast<std::size_t>(b)];
  });
}

void SlotQueue::begin_check(std::int64_t slot) {
  const std::lock_guard lock(mutex_);
  states_[static_cast<std::size_t>(slot)] = State::kChecking;
}

bool SlotQueue::drained_up_to(std::uint64_t ticket) const {
  for (std::size_t slot = 0; slot < states_.size(); ++slot) {
    if (states_[slot] != State::kFree && states_[slot] != State::kRetired && tickets_[slot] < ticket) return false;
  }
  return true;
}

bool SlotQueue::wait_until_drained(std::optional<std::chrono::milliseconds> timeout) {
  std::unique_lock lock(mutex_);
  const std::uint64_t ticket = next_ticket_;
  const auto drained = [&] { return drained_up_to(ticket); };
  if (timeout) return done_.wait_for(lock, *timeout, drained);
  done_.wait(lock, drained);
  return true;
}

bool SlotQueue::is_stopping() {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

void SlotQueue::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
}

}  // namespace keysieve::shadow

#include "audit/hang_guard.hpp"

#include <algorithm>
#include <utility>

namespace keysieve::audit {

HangGuard::HangGuard(std::size_t workers, std::chrono::milliseconds limit, std::function<void(const Trial&)> on_hang)
    : limit_(limit), on_hang_(std::move(on_hang)), running_(workers), thread_([this] { watch(); }) {}

HangGuard::~HangGuard() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void HangGuard::begin(std::size_t worker, const Trial& trial) {
  const std::lock_guard lock(mutex_);
  running_[worker] = {&trial, std::chrono::steady_clock::now()};
}

void HangGuard::end(std::size_t worker) {
  const std::lock_guard lock(mutex_);
  running_[worker].trial = nullptr;
}

void HangGuard::watch() {
  const auto look_every =
      std::clamp<std::chrono::milliseconds>(limit_ / 4, std::chrono::milliseconds(5), std::chrono::milliseconds(500));
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, look_every, [this] { return done_; })) {
    const auto now = std::chrono::steady_clock::now();
    for (const Running& running : running_) {
      // Under the lock, so that the trial cannot go away.
      if (running.trial != nullptr && now - running.since > limit_) on_hang_(*running.trial);
    }
  }
}

}  // namespace keysieve::audit

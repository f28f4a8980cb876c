#include "bench/watchdog.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <utility>

namespace keysieve::bench {

Watchdog::Watchdog(std::chrono::seconds limit) : limit_(limit), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watchdog::begin(std::string what) {
  {
    const std::lock_guard lock(mutex_);
    what_ = std::move(what);
    ++step_;
  }
  changed_.notify_one();
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!done_) {
    const std::uint64_t step = step_;
    if (changed_.wait_for(lock, limit_, [&] { return done_ || step_ != step; })) continue;
    std::fprintf(
        stderr,
        "keysieve: error: device: no answer for %lld s at %s; the report holds the cells of some seconds before\n",
        static_cast<long long>(limit_.count()), what_.c_str());
    _exit(1);  // destructors would wait for the device
  }
}

}  // namespace keysieve::bench

#include "cli/hang_guard.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/console.hpp"

namespace keysieve::cli {

HangGuard::HangGuard(std::chrono::milliseconds limit) : limit_(limit), thread_([this] { watch(); }) {}

HangGuard::~HangGuard() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void HangGuard::begin(const std::string& step) {
  {
    const std::lock_guard lock(mutex_);
    step_ = step;
    ++number_;
  }
  changed_.notify_one();
}

void HangGuard::watch() {
  std::unique_lock lock(mutex_);
  while (!done_) {
    const unsigned number = number_;
    if (changed_.wait_for(lock, limit_, [&] { return done_ || number_ != number; })) continue;
    print_error(
        fmt::format("{}: expected an end within {:g} s, found none", step_, static_cast<double>(limit_.count()) / 1e3));
    _exit(kExitFault);  // destructors would wait for the device
  }
}

}  // namespace keysieve::cli

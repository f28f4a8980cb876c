// Ends the process when a run does not come back: a hang would otherwise hide which case it was.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "audit/trial.hpp"

namespace keysieve::audit {

class HangGuard {
 public:
  // `on_hang` runs on the guard's own thread with what a worker is stuck in, and has to end the process.
  HangGuard(std::size_t workers, std::chrono::milliseconds limit, std::function<void(const Trial&)> on_hang);
  ~HangGuard();
  HangGuard(const HangGuard&) = delete;
  HangGuard& operator=(const HangGuard&) = delete;

  // The trial has to stay until the worker's end().
  void begin(std::size_t worker, const Trial& trial);
  void end(std::size_t worker);

 private:
  struct Running {
    const Trial* trial = nullptr;
    std::chrono::steady_clock::time_point since;
  };

  void watch();

  std::chrono::milliseconds limit_;
  std::function<void(const Trial&)> on_hang_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Running> running_;
  bool done_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace keysieve::audit

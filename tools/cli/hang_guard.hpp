// Ends the process when a step does not: a driver that hangs would otherwise keep the doctor waiting for ever.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace keysieve::cli {

class HangGuard {
 public:
  explicit HangGuard(std::chrono::milliseconds limit);
  ~HangGuard();
  HangGuard(const HangGuard&) = delete;
  HangGuard& operator=(const HangGuard&) = delete;

  // The limit starts anew; `step` is named on stderr should it pass, and the exit code is that of a fault.
  void begin(const std::string& step);

 private:
  void watch();

  std::chrono::milliseconds limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string step_ = "the start";
  unsigned number_ = 0;  // of the step
  bool done_ = false;
  std::thread thread_;
};

}  // namespace keysieve::cli

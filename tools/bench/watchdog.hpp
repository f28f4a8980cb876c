// Ends the process when the device does not answer: a hang would otherwise cost all the machine time that is left.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace keysieve::bench {

class Watchdog {
 public:
  explicit Watchdog(std::chrono::seconds limit);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

  // The limit starts anew; `what` is named should it pass.
  void begin(std::string what);

 private:
  void watch();

  std::chrono::seconds limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_ = "start";
  std::uint64_t step_ = 0;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace keysieve::bench

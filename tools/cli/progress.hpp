// A bar on a terminal for work of more than a second; silent everywhere else.
#pragma once

#include <chrono>
#include <cstdint>

namespace keysieve::cli {

class Progress {
 public:
  // `total_bytes` of input; 0 shows nothing.
  explicit Progress(std::int64_t total_bytes);
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::int64_t bytes);

 private:
  std::chrono::steady_clock::time_point start_;
  std::int64_t total_bytes_;
  std::int64_t done_bytes_ = 0;
  bool visible_ = false;
  bool terminal_;
};

}  // namespace keysieve::cli

#include "cli/progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace keysieve::cli {

namespace {

constexpr int kBarCells = 30;
constexpr double kQuietSeconds = 1.0;

}  // namespace

Progress::Progress(std::int64_t total_bytes)
    : start_(std::chrono::steady_clock::now()), total_bytes_(total_bytes), terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (visible_) std::fputs("\r\x1b[K", stderr);
}

void Progress::advance(std::int64_t bytes) {
  done_bytes_ += bytes;
  if (!terminal_ || total_bytes_ <= 0) return;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (seconds < kQuietSeconds) return;
  const double share = static_cast<double>(done_bytes_) / static_cast<double>(total_bytes_);
  const auto cells = static_cast<std::size_t>(share * kBarCells);
  std::string bar(cells, '#');
  bar.resize(kBarCells, '.');
  std::fprintf(stderr, "\r\x1b[K[%s] %3.0f%%  %.1f of %.1f GB  %.0f s", bar.c_str(), share * 100,
               static_cast<double>(done_bytes_) * 1e-9, static_cast<double>(total_bytes_) * 1e-9, seconds);
  visible_ = true;
}

}  // namespace keysieve::cli

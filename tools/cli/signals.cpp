#include "cli/signals.hpp"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/console.hpp"
#include "io/atomic_file.hpp"
#include "io/memory_map.hpp"

namespace keysieve::cli {

namespace {

// Everything below runs in signal context: only async-signal-safe calls.

void write_text(const char* text) {
  if (::write(STDERR_FILENO, text, ::strlen(text)) < 0) return;
}

void end_by_signal(int number) {
  io::remove_pending_files();
  // SA_RESETHAND has restored the default action, so the parent sees the signal as the cause of death.
  ::raise(number);
}

void end_by_bus_error(int number, siginfo_t* info, void*) {
  io::remove_pending_files();
  const char* path = io::MemoryMap::path_at(info->si_addr);
  if (path == nullptr) {
    ::raise(number);
    return;
  }
  write_text("keysieve: error: ");
  write_text(path);
  write_text(": expected the file to stay readable while in use, found that it shrank or its disk failed\n");
  ::_exit(kExitBadInput);
}

}  // namespace

void install_signal_handlers() {
  struct sigaction ending {};
  ending.sa_handler = end_by_signal;
  ending.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    // A signal that the parent chose to ignore (nohup) stays ignored.
    if (::sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    ::sigaction(number, &ending, nullptr);
  }
  struct sigaction bus {};
  bus.sa_sigaction = end_by_bus_error;
  bus.sa_flags = static_cast<int>(SA_RESETHAND) | SA_SIGINFO;
  ::sigaction(SIGBUS, &bus, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace keysieve::cli

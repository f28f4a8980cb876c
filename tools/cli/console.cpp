#include "cli/console.hpp"

#include <cerrno>
#include <cstdio>
#include <string>

#include "io/file_error.hpp"

namespace keysieve::cli {

namespace {

void print_line(std::string_view kind, std::string_view message) {
  std::string joined;
  while (!message.empty() && message.back() == '\n') message.remove_suffix(1);
  for (const char c : message) {
    if (c == '\n') {
      joined += "; ";
    } else {
      joined += c;
    }
  }
  std::string line = "keysieve: ";
  line.append(kind).append(": ").append(io::one_line(joined)).append("\n");
  // One call, so that lines of processes that share a terminal do not mix. Nothing is left to do on failure.
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

}  // namespace

void write_stdout(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    io::throw_errno("stdout", "write", errno);
  }
}

void print_error(std::string_view message) { print_line("error", message); }
void print_warning(std::string_view message) { print_line("warning", message); }

}  // namespace keysieve::cli

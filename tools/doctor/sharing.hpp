// Who else may use the GPUs through this machine's settings: the MPS daemon, and variables that change what CUDA does.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace keysieve::doctor {

struct MpsState {
  std::string pipe_directory;
  bool pipe_seen = false;                // the daemon's control pipe is there; it may be left over
  bool daemon_runs = false;              // the process named beside the pipe exists
  std::string active_thread_percentage;  // of this process's environment, "" where not set
};

struct Environment {
  MpsState mps;
  std::vector<std::pair<std::string, std::string>> variables;  // those that are set, of a fixed list
};

// The value of a variable, null where it is not set.
using Variables = std::function<const char*(const char*)>;

// Looks below `root` ("" is the machine).
Environment collect_environment(const std::string& root, const Variables& variables);

}  // namespace keysieve::doctor
